#!/bin/sh
# The backup of PostgreSQL in compose.yaml: the archived write-ahead log, and a base backup every day. BACKUP.md explains it.
#   archive PATH NAME   copy a file of the log into the archive; PostgreSQL does this (archive_command)
#   run                 every day, take a base backup, and remove what no moment of the last BACKUP_DAYS days needs
#   once                do that now
#   due                 succeed if the last base backup was a day ago
#   health              fail if there is no base backup of the last two days, or if the log can't be archived
#   restore TIME        restore the database of a moment into the empty folder PGDATA
# $BACKUP_DIR/base has a folder for each base backup, named after its end, and $BACKUP_DIR/wal the log.
set -eu
: "${BACKUP_DIR:=/backup}" "${BACKUP_DAYS:=14}"
base=$BACKUP_DIR/base
wal=$BACKUP_DIR/wal
here=$0
tmp=${TMPDIR:-/tmp}
export LC_ALL=C

# The name of a base backup that ends at a moment, such as 20261123T101500Z. Names have the order of their moments.
name_of() { date -u --date="$1" +%Y%m%dT%H%M%SZ; }
complete() { find "$base" -mindepth 1 -maxdepth 1 -name '*Z' -printf '%f\n' | sort; }
# The newest base backup that had ended at a moment.
before() { complete | awk -v limit="$(name_of "$1")" '$0 <= limit' | tail -n 1; }

archive() {
  file=$wal/$2.gz
  mkdir -p "$wal"
  # PostgreSQL repeats this if the success did not reach it. A file of another database must never be taken for this one.
  if [ -e "$file" ]; then gunzip -c "$file" | cmp -s - "$1"; return; fi
  gzip -1 -c "$1" >"$file.part"
  sync "$file.part"
  mv "$file.part" "$file"
  sync "$wal"
}

once() {
  mkdir -p "$base" "$wal"
  rm -rf "$base"/*.unfinished
  pg_basebackup --pgdata="$base/new.unfinished" --format=tar --gzip --checkpoint=fast --no-password
  mv "$base/new.unfinished" "$base/$(name_of now)"
  # The oldest moment to restore needs a base backup from before it, and the log from there on.
  needed=$(before "-$BACKUP_DAYS days")
  for it in $(complete); do
    if [ "$it" \< "$needed" ]; then rm -rf "${base:?}/$it"; fi
  done
  oldest=$(complete | head -n 1)
  first=$(tar -xzOf "$base/$oldest/base.tar.gz" backup_label | sed -n 's/^START WAL LOCATION: .*(file \([0-9A-F]*\))$/\1/p')
  pg_archivecleanup -x .gz "$wal" "$first"
  # It leaves the small files that only say when there was a base backup.
  find "$wal" -name '*.backup.gz' -mtime "+$BACKUP_DAYS" -delete
}

due() { [ "$(complete | tail -n 1)" \< "$(name_of '-23 hours')" ]; }

run() {
  mkdir -p "$base"
  touch "$tmp/started"
  # The shell handles a signal at once only while it waits.
  trap 'kill $! || :; exit 0' TERM INT
  while :; do
    # A container that starts often takes no more base backups than one that keeps running.
    if due; then
      sh "$here" once &
      wait $! || echo "The base backup failed. The next attempt is in an hour." >&2
    fi
    sleep 3600 &
    wait $!
  done
}

health() {
  find "$tmp/started" "$base" -maxdepth 1 \( -name '*Z' -o -name started \) -mtime -2 | grep -q .
  failing="SELECT count(*) FROM pg_stat_archiver WHERE last_failed_time > coalesce(last_archived_time, '-infinity')"
  [ "$(psql -tAc "$failing" postgres)" = 0 ]
}

failed() {
  grep -E 'FATAL|ERROR|HINT' "$tmp/restore.log" >&2 || tail -n 20 "$tmp/restore.log" >&2
  rm -rf "${PGDATA:?}"
  echo "The database of $1 could not be restored. If the archive ends before that, choose an earlier moment." >&2
  exit 1
}

restore() {
  if [ -e "${PGDATA:?}/PG_VERSION" ]; then echo "$PGDATA has a database already. Restore into an empty volume." >&2; exit 1; fi
  from=$(before "$1")
  if [ -z "$from" ]; then echo "There is no base backup from before $1." >&2; exit 1; fi
  mkdir -p "$PGDATA"
  chmod 700 "$PGDATA"
  tar -xzf "$base/$from/base.tar.gz" -C "$PGDATA"
  tar -xzf "$base/$from/pg_wal.tar.gz" -C "$PGDATA/pg_wal"
  touch "$PGDATA/recovery.signal"
  # No client can connect before the database is at this moment, and nothing of it goes into the archive.
  alone="-c listen_addresses='' -c unix_socket_directories=$tmp -c archive_mode=off -c hot_standby=off"
  target="-c restore_command='gunzip <$wal/%f.gz >%p' -c recovery_target_time='$1' -c recovery_target_action=promote"
  pg_ctl start --pgdata="$PGDATA" --silent --log="$tmp/restore.log" --options="$alone $target" || failed "$1"
  until pg_controldata "$PGDATA" | grep -q '^Database cluster state: *in production'; do
    pg_ctl status --pgdata="$PGDATA" >/dev/null || failed "$1"
    sleep 1
  done
  pg_ctl stop --pgdata="$PGDATA" --silent --mode=fast
  rm -f "$PGDATA/recovery.signal"
  echo "The database of $1 is in $PGDATA."
}

command=${1:?archive, run, once, due, health or restore}
shift
"$command" "$@"
