# The tests run as an ordinary user in a clone, as for most readers, and because root may read and write everything.
ci_user=plumbline-ci
clone=$(mktemp -d)/plumbline

make_clone() {
  chmod 755 "$(dirname "$clone")" && git clone --quiet . "$clone" || return
  if [ "$(id -u)" = 0 ]; then
    id "$ci_user" >/dev/null 2>&1 || useradd --create-home "$ci_user" || return
    # This user can't read the npm cache of root, but needs its npm settings.
    local settings; settings=$(npm config get userconfig)
    if [ -e "$settings" ]; then install -m 600 -o "$ci_user" "$settings" "/home/$ci_user/.npmrc" || return; fi
    chown -R "$ci_user:" "$clone" "$results"
  fi
  as_ordinary_user npm ci
}

as_ordinary_user() {
  cd "$clone" || return
  if [ "$(id -u)" != 0 ]; then "$@"; return; fi
  setpriv --reuid="$ci_user" --regid="$ci_user" --init-groups --no-new-privs \
    env HOME="/home/$ci_user" USER="$ci_user" LOGNAME="$ci_user" XDG_CACHE_HOME="/home/$ci_user/.cache" "$@"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else return 77; fi
}
