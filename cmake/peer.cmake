# The folder into which scripts/fetch-peers.sh unpacks peers, for builds of developers. Packagers set it to "".
set(GRADUS_PEERS_DIR ${PROJECT_SOURCE_DIR}/build/peers CACHE STRING "Folder of unpacked peers to look in, or empty")
if(TARGET gr_peer)
  target_compile_definitions(gr_peer PRIVATE GRADUS_PEERS_DIR="${GRADUS_PEERS_DIR}")
endif()
