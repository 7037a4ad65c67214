"""
Express the referee's ids and facts as sentences, and the labels of the pages, in five languages.

In: rulings and announcements. Out: text. It knows nothing of threads, pages or pictures.
"""
