; Python. Capture names are listed in src/grammar.rs.

(comment) @comment
(decorator) @attribute
(decorated_definition definition: (_) @wrapped) @wrapper

(class_definition name: (identifier) @name) @definition.class
(function_definition name: (identifier) @name) @definition.function
(type_alias_statement left: (type (identifier) @name)) @definition.type
((module
  (expression_statement
    (assignment left: (identifier) @name)) @definition.variable)
  (#not-eq? @name "__all__"))

(module . (comment)* . (expression_statement . (string) @doc))
(class_definition body: (block . (expression_statement . (string) @doc)))
(function_definition body: (block . (expression_statement . (string) @doc)))
