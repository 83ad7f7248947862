#!/bin/bash
set -e
perl /solution/ini.pl < settings.ini > settings.json
