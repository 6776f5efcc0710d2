#!/bin/sh
# as:search retry
echo "# as:s no" # asd:ignore sh-x -- reason
echo $# @net-client
# plain
