//! Plans and their fitting, on an output of lines.

use std::cell::Cell;

use proptest::{collection::vec, prelude::*};

use super::*;

/// An output whose results are numbers of words.
struct Words {
    results: Vec<usize>,
    /// Number of calls of `render`.
    rendered: Cell<usize>,
}

impl Words {
    fn new(results: Vec<usize>) -> Words {
        Words { results, rendered: Cell::new(0) }
    }
}

impl BudgetedOutput for Words {
    fn results(&self) -> usize {
        self.results.len()
    }

    fn render(&self, levels: &[Level], budget_report: &BudgetReport) -> io::Result<String> {
        self.rendered.set(self.rendered.get() + 1);
        let mut text = String::new();
        for (words, level) in self.results.iter().zip(levels) {
            let words = match level {
                Level::Body => *words,
                Level::Snippet => words / 2,
                Level::Signature => words / 4,
                Level::Path => 1,
                Level::Dropped => continue,
            };
            text.push_str(&" word".repeat(words));
            text.push('\n');
        }
        Ok(format!("{text}{} of {}\n", budget_report.used, budget_report.tokens))
    }
}

#[test]
fn each_plan_shows_less_than_the_previous_one() {
    for results in [0, 1, 2, 3, 7, 40] {
        let plans: Vec<Vec<Level>> =
            (0..=last_plan(results)).map(|number| plan(number, results)).collect();
        assert!(plans[0].iter().all(|level| *level == Level::Body));
        assert!(plans.last().expect("a plan").iter().all(|level| *level == Level::Dropped));
        for (before, after) in plans.iter().zip(&plans[1..]) {
            assert!(before.iter().zip(after).all(|(before, after)| before <= after));
            assert_ne!(before, after);
        }
        for plan in &plans {
            assert!(plan.is_sorted(), "a better result never shows less");
        }
    }
}

#[test]
fn the_last_results_are_reduced_first() {
    use Level::{Body as B, Dropped as D, Path as P, Signature as G, Snippet as S};
    assert_eq!(plan(1, 3), [B, B, S]);
    assert_eq!(plan(3, 3), [S, S, S]);
    assert_eq!(plan(4, 3), [S, S, G]);
    assert_eq!(plan(5, 3), [S, G, G]);
    assert_eq!(plan(6, 3), [S, G, D]);
    assert_eq!(plan(7, 3), [S, D, D]);
    assert_eq!(plan(8, 3), [G, D, D]);
    assert_eq!(plan(10, 3), [D, D, D]);
    assert_eq!(plan(14 + 12, 14), [S, S, G, G, G, G, G, P, P, P, P, P, D, D]);
    let words = LevelSummary(&[B, B, S, G, G, D]).to_string();
    assert_eq!(words, "1-2 in full, 3 as a snippet, 4-5 as signatures, 6 dropped");
}

#[test]
fn results_that_fit_are_shown_in_full() {
    let output = Words::new(vec![100, 100, 100]);
    let fitted = fit(&output, 400, Tokenizer::O200k).expect("it fits");
    assert_eq!(fitted.levels, [Level::Body; 3]);
    // 300 words, 3 line ends, which are tokens after a word, and `304 of 400` with its line end;
    // the second number has a space before it.
    assert_eq!(fitted.budget_report.used, Tokenizer::O200k.count(&fitted.text));
    assert!(fitted.text.ends_with(&format!("\n{} of 400\n", fitted.budget_report.used)));
    assert!(output.rendered.get() <= 8, "{}", output.rendered.get());
}

#[test]
fn a_budget_that_is_too_small_reports_the_minimum() {
    let output = Words::new(vec![9]);
    let Err(BudgetError::TooSmall { least }) = fit(&output, 1, Tokenizer::Cl100k) else {
        panic!("nothing fits into one token")
    };
    assert!(fit(&output, least - 1, Tokenizer::Cl100k).is_err());
    let fitted = fit(&output, least, Tokenizer::Cl100k).expect("the least fits");
    assert_eq!(fitted.levels, [Level::Dropped]);
    assert_eq!(fitted.text, format!("{least} of {least}\n"));
}

proptest! {
    #[test]
    fn no_answer_exceeds_the_budget(
        results in vec(0_usize..200, 0..30),
        tokens in 1_usize..3_000,
    ) {
        let output = Words::new(results);
        match fit(&output, tokens, Tokenizer::Cl100k) {
            Ok(fitted) => {
                let used = Tokenizer::Cl100k.count(&fitted.text);
                prop_assert!(used <= tokens);
                prop_assert_eq!(used, fitted.budget_report.used);
            }
            Err(BudgetError::TooSmall { least }) => prop_assert!(least > tokens),
            Err(BudgetError::Unwritten(error)) => panic!("{error}"),
        }
        prop_assert!(output.rendered.get() <= 20);
    }
}
