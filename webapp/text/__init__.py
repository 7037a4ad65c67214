"""
Words: the referee's ids and facts as sentences, and the labels on the page, per language.

In: rulings and announcements. Out: text. It knows nothing of threads, pages or pictures.
"""
