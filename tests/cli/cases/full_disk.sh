# A standard output that cannot be written is an error, not success.
# exit: 2
gradus version >/dev/full
