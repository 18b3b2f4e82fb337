; HTML. Capture names are listed in src/grammar.rs.

(comment) @comment

; Elements with an identifier.
((element
  [
    (start_tag
      (attribute
        (attribute_name) @_id
        [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]))
    (self_closing_tag
      (attribute
        (attribute_name) @_id
        [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]))
  ]) @definition.field @key
  (#eq? @_id "id"))

; External scripts and styles.
((script_element
  (start_tag (attribute (attribute_name) @_src (quoted_attribute_value) @import)))
  (#eq? @_src "src"))
((element
  (start_tag
    (tag_name) @_link
    (attribute
      (attribute_name) @_href
      (quoted_attribute_value (attribute_value) @_file) @import)))
  (#eq? @_link "link")
  (#eq? @_href "href")
  (#match? @_file "\\.(css|js|mjs)$"))

; Custom elements, which are not part of HTML.
((start_tag (tag_name) @reference.type) (#match? @reference.type "-"))
