//! The words, names and openings of sentences that plain English does without: one row a rule.

/// Where a rule applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// Comments, doc comments, messages, Markdown, and the words of names that are defined.
    Prose,
    /// The first word of a doc comment.
    DocStart,
    /// The start of a constant's name.
    ConstantPrefix,
    /// The whole name of a type or function where it is defined.
    Name,
    /// A closure parameter or loop variable.
    Variable,
}

/// A rule: patterns that fail, and the replacement to suggest.
pub(crate) struct Rule {
    pub scope: Scope,
    /// Words or phrases; the case of letters does not matter in prose.
    pub patterns: &'static [&'static str],
    /// Replacement that the message suggests.
    pub instead: &'static str,
    /// Longer phrases with a pattern in front that are plain English.
    pub unless: &'static [&'static str],
}

const fn prose(patterns: &'static [&'static str], instead: &'static str) -> Rule {
    Rule { scope: Scope::Prose, patterns, instead, unless: &[] }
}

const fn name(patterns: &'static [&'static str], instead: &'static str) -> Rule {
    Rule { scope: Scope::Name, patterns, instead, unless: &[] }
}

/// All rules; the longest pattern that matches at a word counts.
pub(crate) const RULES: &[Rule] = &[
    // Verbs of persons.
    prose(&["told", "is told", "told of"], "reported, described, given"),
    prose(&["tells", "telling"], "shows, states, reports, distinguishes"),
    prose(&["says of", "say of", "says nothing", "says what", "says which"], "describes, states"),
    prose(&["says whether", "says how", "says where", "says so much"], "states, reports"),
    prose(&["knows of", "knows nothing", "knows no", "know of", "know nothing"], "contains, has"),
    prose(&["speaks for", "speak for", "spoke for", "speaking for"], "supports"),
    prose(&["speaker", "speakers"], "supporting documents"),
    prose(&["neighbours say", "neighbors say"], "neighbour score"),
    prose(&["asks for", "asked for", "ask for"], "requests, the query contains"),
    prose(&["is asked of", "are asked of", "asked of", "is asked", "are asked"], "is applied to"),
    prose(&["who asks", "who asked"], "the query, the user"),
    Rule {
        scope: Scope::Prose,
        patterns: &["stands"],
        instead: "is, is stored",
        unless: &["stands for", "stands alone", "stands out"],
    },
    prose(&["lies", "sits"], "is, is stored in"),
    prose(&["comes to", "came to"], "equals, is"),
    prose(&["is worth", "are worth", "was worth", "be worth"], "equals, scores"),
    prose(&["made anew", "makes anew"], "rebuilt"),
    prose(&["anew"], "again"),
    prose(&["let in", "lets in", "let into"], "accepted by the filter"),
    prose(&["left out", "leaves out", "leave out", "leaving out"], "skipped, omitted, excluded"),
    prose(&["gone through"], "iterated, searched"),
    prose(&["looked through"], "searched"),
    // Persons.
    prose(&["whoever", "whomever"], "the noun: a caller, a user, a query"),
    prose(&["somebody", "anybody"], "the noun: a user, another process"),
    prose(&["nobody"], "nothing, no caller, no user"),
    prose(&["everybody"], "every caller, common"),
    // Nouns with a term of the field.
    prose(&["nearness", "likeness"], "similarity"),
    prose(&["middling"], "median"),
    prose(&["doer", "doers"], "agent nouns"),
    prose(&["halving sum", "halving sums"], "geometrically discounted sum"),
    prose(&["whereabouts"], "location"),
    prose(&["capitals", "capital letters"], "upper case"),
    prose(&["small letters"], "lower case"),
    prose(&["blanks"], "whitespace"),
    prose(&["one inside of", "inside of"], "inside, in, built-in"),
    prose(&["of somewhere else", "of elsewhere"], "foreign, external"),
    prose(&["server of embeddings", "servers of embeddings"], "embedding server"),
    prose(&["work tree that was removed", "work trees that were removed"], "a removed worktree"),
    prose(&["look around", "looks around", "keep house", "keeps house"], "the action itself"),
    // Openings of doc comments.
    Rule {
        scope: Scope::DocStart,
        patterns: &[
            "What", "Whether", "Who", "Whoever", "Whom", "Whose", "Which", "How", "Where", "Why",
        ],
        instead: "a noun phrase or a verb in the third person",
        unless: &[],
    },
    // Names.
    Rule {
        scope: Scope::ConstantPrefix,
        patterns: &["MOST_", "LONGEST_", "TOO_MANY_", "LARGEST_", "BIGGEST_"],
        instead: "MAX_…",
        unless: &[],
    },
    Rule {
        scope: Scope::ConstantPrefix,
        patterns: &["LEAST_", "SHORTEST_", "FEWEST_", "SMALLEST_", "TOO_FEW_"],
        instead: "MIN_…",
        unless: &[],
    },
    Rule {
        scope: Scope::ConstantPrefix,
        patterns: &["TOO_"],
        instead: "MAX_… or MIN_…",
        unless: &[],
    },
    name(&["Found"], "the noun: ScoredDocument, FoundFile, …"),
    name(&["Asked", "Sought"], "ParsedRequest, Target"),
    name(&["Meaning"], "QueryVector"),
    name(&["Ground", "Surface"], "the role in the search: Candidates, Fields"),
    name(&["Door", "Gate"], "the role: Entry, Filter, Lock"),
    name(&["Verdict"], "Outcome, Decision"),
    name(&["Doomed"], "Expired, Removable"),
    name(&["look_around"], "add_context_signals"),
    name(&["put_best_first"], "sort_chunks"),
    name(&["keep_house"], "evict"),
    name(&["show_once"], "remove_near_duplicates"),
    name(&["may_say_the_same"], "may_be_duplicate"),
    Rule {
        scope: Scope::Variable,
        patterns: &["one"],
        instead: "the noun: chunk, hit, word",
        unless: &[],
    },
];
