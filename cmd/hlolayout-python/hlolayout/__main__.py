"""python -m hlolayout is the command hlolayout."""

import os
import subprocess
import sys

from hlolayout._run import binary

if __name__ == "__main__":
    command = [binary(), *sys.argv[1:]]
    if os.name == "nt":  # exec would return to the shell at once
        sys.exit(subprocess.run(command).returncode)
    os.execv(command[0], command)
