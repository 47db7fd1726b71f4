#!/bin/sh
# performance.sh BUILD [FOLDER]: puts what scripts/bench_cpu.sh measured and left in BUILD/bench into the documentation. What was
# not measured stays as it is. SPDX-License-Identifier: MIT
#
# Of each sweep FOLDER (docs/performance) gets NAME.csv, with a line for each product, and NAME.md: the geometric means, the lowest
# ratios, the machine and the command. The means, and the tables of the two programs beside the sweeps, also go into the page
# FOLDER.md, between its lines `<!-- begin NAME -->` and `<!-- end NAME -->`.
set -eu
build=$1
folder=${2:-docs/performance}
page=$folder.md
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"

# into_page NAME: writes the text of standard input between the two lines of that name.
into_page() {
  if ! grep -q "^<!-- begin $1 -->\$" "$page"; then
    echo "performance: $page has no line '<!-- begin $1 -->'" >&2
    exit 1
  fi
  cat >"$page.part"
  awk -v name="$1" -v part="$page.part" '
    $0 == "<!-- end " name " -->" { inside = 0 }
    !inside { print }
    $0 == "<!-- begin " name " -->" {
      inside = 1
      print ""
      while ((getline line <part) > 0)
        print line
      print ""
    }' "$page" | cat -s >"$page.tmp"
  mv "$page.tmp" "$page"
  rm "$page.part"
}

for name in sweep sweep-avx2 narrow scaling; do
  run=$build/bench/$name/run.md
  if [ ! -f "$run" ]; then
    echo "performance: $name was not measured: its tables stay" >&2
    continue
  fi
  awk -f "$here/performance_csv.awk" "$run" "$run" >"$folder/$name.csv"
  awk -v name="$name" -f "$here/performance_summary.awk" "$run" | cat -s >"$folder/$name.md"
  awk '/^##/ { inside = /^### geometric means/ } inside && /^\|/' "$run" | into_page "$name"
done
for name in small_calls busy_machine; do
  table=$build/bench/$name.md
  if [ ! -f "$table" ]; then
    echo "performance: $name was not measured: its table stays" >&2
    continue
  fi
  grep -v '^## ' "$table" | into_page "$name"
done
