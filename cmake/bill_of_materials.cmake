# A CycloneDX bill of what is compiled into the wheel, in .dist-info/sboms (PEP 770). What pip
# installs beside it is in the wheel's own metadata.
file(STRINGS "${NB_DIR}/ext/robin_map/include/tsl/robin_growth_policy.h" robin_map_lines
     REGEX "define TSL_RH_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
string(REGEX REPLACE "[^0-9;]" "" robin_map_numbers "${robin_map_lines}")
list(JOIN robin_map_numbers "." robin_map_version)
foreach(version SKBUILD_PROJECT_VERSION_FULL nanobind_VERSION robin_map_version)
  if(NOT "${${version}}" MATCHES "^[0-9]+\\.[0-9]+")
    message(FATAL_ERROR "The bill of materials needs ${version}, and it is '${${version}}'.")
  endif()
endforeach()

if(BSNSING_SPLIT_ABI)  # nanobind's run time, and the map in it, are in a package of their own
  set(linked "")
  set(names "")
else()
  set(linked "
    {
      \"type\": \"library\",
      \"bom-ref\": \"nanobind\",
      \"name\": \"nanobind\",
      \"version\": \"${nanobind_VERSION}\",
      \"purl\": \"pkg:pypi/nanobind@${nanobind_VERSION}\",
      \"licenses\": [{ \"license\": { \"id\": \"BSD-3-Clause\" } }]
    },
    {
      \"type\": \"library\",
      \"bom-ref\": \"robin-map\",
      \"name\": \"robin-map\",
      \"version\": \"${robin_map_version}\",
      \"purl\": \"pkg:github/Tessil/robin-map@v${robin_map_version}\",
      \"licenses\": [{ \"license\": { \"id\": \"MIT\" } }]
    }
  ")
  set(names "\"nanobind\"")
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/bsnsing.cdx.json.in"
               "${CMAKE_CURRENT_BINARY_DIR}/bsnsing.cdx.json" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/bsnsing.cdx.json"
        DESTINATION "${SKBUILD_METADATA_DIR}/sboms")
