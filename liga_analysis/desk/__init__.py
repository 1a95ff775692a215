"""The lead's evening: the host's sheet goes out, comes back, and into the season.

In: what hosts send, and what the lead says of it. Out: blank sheets, invitations, and recordings
shown before they are stored.
"""
