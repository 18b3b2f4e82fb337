; Protocol Buffers. Capture names are listed in src/grammar.rs.

(comment) @comment

(message (message_name) @name (message_body) @body) @definition.struct
(enum (enum_name) @name (enum_body) @body) @definition.enum
(enum_field . (identifier) @name) @definition.constant
(field (type) . (identifier) @name) @definition.field
(map_field (type) . (identifier) @name) @definition.field
(oneof_field (type) . (identifier) @name) @definition.field
(service (service_name) @name) @definition.interface
(rpc (rpc_name) @name) @definition.method
; Extension fields of a message.
(extend (full_ident) @name (message_body) @body) @definition.impl

(import) @import
(message_or_enum_type) @reference.type
