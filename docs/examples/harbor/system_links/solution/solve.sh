#!/bin/bash
set -e
mkdir -p /etc/tool/2.1
cp tool-2.1.conf /etc/tool/2.1/tool.conf
chmod 644 /etc/tool/2.1/tool.conf
ln -sfn 2.1 /etc/tool/current
ln -sf /etc/tool/current/tool.conf /etc/tool.conf
