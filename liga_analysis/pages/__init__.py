"""What notebooks share: how charts and parts of a page look, and a notebook's way to one page.

In: tables, fits and a season's words. Out: charts, HTML parts, widgets; an executed notebook as a
page that opens offline.
"""
