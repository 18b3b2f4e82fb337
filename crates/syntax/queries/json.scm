; JSON. Capture names are listed in src/grammar.rs.

(comment) @comment

; The keys of the outermost object, and of objects in it.
(document
  . (comment)*
  . (object
    (pair
      key: (string (string_content) @name)
      value: (object) @body) @definition.module @key))
(document
  . (comment)*
  . (object
    (pair
      key: (string (string_content) @name)
      value: [(array) @body (string) (number) (true) (false) (null)]) @definition.field @key))
(document
  . (comment)*
  . (object
    (pair
      value: (object
        (pair
          key: (string (string_content) @name)
          value: [
            (object) @body
            (array) @body
            (string)
            (number)
            (true)
            (false)
            (null)
          ]) @definition.field @key))))
