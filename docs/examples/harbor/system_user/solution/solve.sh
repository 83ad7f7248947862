#!/bin/bash
set -e
echo 'deploy:x:1500:1500::/srv/deploy:/bin/sh' >> /etc/passwd
echo 'deploy:x:1500:' >> /etc/group
mkdir -p /srv/deploy
