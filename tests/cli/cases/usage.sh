# Bad usage: one line, the nearest valid name, status 2.
try() {
    status=0
    gradus "$@" 2>&1 || status=$?
    echo "  $status: gradus $*"
}
try helpp
try xyzzy
try --verison
try help versoin
try help --al
try version now
try version -x
try help a b
try ''
