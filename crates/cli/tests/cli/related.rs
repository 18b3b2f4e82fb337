//! `lore related` with the number of a ticket.

use crate::workspace::Workspace;

#[test]
fn a_ticket_is_named_by_its_number() {
    let workspace = Workspace::with(&[
        (
            ".sage/tickets/index.json",
            "{\"tickets\": [\
             {\"id\": \"PAY-1\", \"title\": \"Refund is paid twice\", \"state\": \"OPEN\", \
              \"description\": \"A refund is paid twice after a timeout.\"},\
             {\"id\": \"PAY-2\", \"title\": \"Retry of a refund\", \"state\": \"OPEN\", \
              \"description\": \"A refund is tried again after a timeout.\"}]}",
        ),
        ("docs/refunds.md", "# Refunds\n\nA refund is paid once, also after a timeout.\n"),
    ]);
    for typed in ["PAY-1", "pay-1", "tickets:.sage/tickets/index.json#PAY-1"] {
        let ran = workspace.run(&["related", typed, "--json"]);
        assert_ne!(ran.code, Some(2), "{typed}: {ran:?}");
        let found = ran.json();
        assert_eq!(found["query"], "tickets:.sage/tickets/index.json#PAY-1", "{typed}");
    }
    let missing = workspace.run(&["related", "PAY-9"]);
    assert_eq!(missing.code, Some(2), "{missing:?}");
}
