#!/bin/bash
set -e
cp /solution/service.py /app/service.py
printf '#!/bin/bash\nexec python3 /app/service.py\n' > /app/start.sh
chmod +x /app/start.sh
