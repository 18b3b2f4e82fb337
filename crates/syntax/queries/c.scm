; What only C writes. Nothing yet: the family's patterns cover it.
