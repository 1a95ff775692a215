"""Kernels for JupyterLab, each forked off one process that has imported what all of them import.

`kernels.py PORT` is that process; `kernels.py PORT FILE` is a kernel to Jupyter, and ends with it.
"""

import os
import signal
import sys
import time
from contextlib import suppress
from multiprocessing.connection import Client, Listener


def serve(address):
    import ipykernel.kernelapp

    import liga_analysis.estimate.widgets
    import liga_analysis.explore.widgets  # noqa: F401

    signal.signal(signal.SIGCHLD, lambda *_: os.waitpid(-1, os.WNOHANG))  # and its time is counted
    with Listener(address) as listener:
        while True:
            asked = listener.accept()
            file, folder = asked.recv()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                os.chdir(folder)
                ipykernel.kernelapp.launch_new_instance(argv=["-f", file])
                os._exit(0)
            asked.close()


def ask(address, file):
    while True:
        with suppress(ConnectionRefusedError), Client(address) as kernel:
            kernel.send((file, os.getcwd()))
            with suppress(EOFError):
                kernel.recv()
            return
        time.sleep(0.1)  # it is not there yet


if __name__ == "__main__":
    address = ("127.0.0.1", int(sys.argv[1]))
    ask(address, sys.argv[2]) if sys.argv[2:] else serve(address)
