; Rust. Capture names are listed in src/grammar.rs.

[(line_comment) (block_comment)] @comment
(attribute_item) @attribute

(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(trait_item name: (type_identifier) @name) @definition.interface
(type_item name: (type_identifier) @name) @definition.type
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.constant
(macro_definition name: (identifier) @name) @definition.macro
; `mod name;` only points at another file.
(mod_item name: (identifier) @name body: (declaration_list)) @definition.module
(impl_item
  type: [
    (type_identifier) @name
    (generic_type type: (type_identifier) @name)
    (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
    (scoped_type_identifier name: (type_identifier) @name)
    (reference_type type: (type_identifier) @name)
    (reference_type type: (generic_type type: (type_identifier) @name))
    (primitive_type) @name
  ]) @definition.impl

; Items that a macro wraps, such as those behind a macro for conditional compilation.
(source_file (macro_invocation (token_tree) @embedded))
(source_file (expression_statement (macro_invocation (token_tree) @embedded)))
(declaration_list (macro_invocation (token_tree) @embedded))
