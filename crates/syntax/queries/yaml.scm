; YAML. Capture names are listed in src/grammar.rs.

(comment) @comment

; The keys of a document, and of the mappings in it.
(document
  (block_node
    (block_mapping
      (block_mapping_pair
        key: (flow_node) @name
        value: (block_node (block_mapping)) @body) @definition.module @key)))
(document
  (block_node
    (block_mapping
      (block_mapping_pair
        key: (flow_node) @name
        value: [(block_node) @body (flow_node)]?) @definition.field @key)))
((document
  (block_node
    (block_mapping
      (block_mapping_pair
        value: (block_node
          (block_mapping
            (block_mapping_pair
              key: (flow_node) @name
              value: [(block_node) @body (flow_node)]?) @definition.field @key))))))
  (#not-eq? @name "<<"))
