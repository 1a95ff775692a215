"""The command `liga`, thin: what it prints is computed elsewhere; JSON is made here.

In: a command line. Out: tables, sentences, files, and an exit code that says what became of it.
"""
