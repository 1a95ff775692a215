"""The season report: what it tells, in sentences, parts, a workbook and a picture.

In: a season. Out: the parts of its notebook, and the files that readers are sent, of one season or
of many at once.
"""
