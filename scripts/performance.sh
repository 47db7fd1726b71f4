#!/bin/sh
# performance.sh BUILD [PAGE]: puts what scripts/bench_cpu.sh left in BUILD/bench into docs/performance.md, between its lines
# `<!-- begin NAME -->` and `<!-- end NAME -->`. A table that was not measured stays as it is. SPDX-License-Identifier: MIT
set -eu
build=$1
page=${2:-docs/performance.md}
for name in sweep sweep-avx2 narrow scaling small_calls busy_machine; do
  table=$build/bench/$name.md
  [ -f "$build/bench/$name/run.md" ] && table=$build/bench/$name/run.md
  if [ ! -f "$table" ]; then
    echo "performance: $name was not measured: its table stays" >&2
    continue
  fi
  if ! grep -q "^<!-- begin $name -->\$" "$page"; then
    echo "performance: $page has no line '<!-- begin $name -->'" >&2
    exit 1
  fi
  awk -v name="$name" -v table="$table" '
    $0 == "<!-- end " name " -->" { inside = 0 }
    !inside { print }
    $0 == "<!-- begin " name " -->" {
      inside = 1
      print ""
      while ((getline line <table) > 0)
        if (line !~ /^## /) print line
      print ""
    }' "$page" >"$page.tmp"
  cat -s "$page.tmp" >"$page"
  rm "$page.tmp"
done
