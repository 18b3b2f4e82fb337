//! Plans and their fitting, on a sheet of lines.

use std::cell::Cell;

use proptest::{collection::vec, prelude::*};

use super::*;

/// Results as numbers of words, and how often they were written.
struct Words {
    results: Vec<usize>,
    written: Cell<usize>,
}

impl Words {
    fn new(results: Vec<usize>) -> Words {
        Words { results, written: Cell::new(0) }
    }
}

impl BudgetedOutput for Words {
    fn results(&self) -> usize {
        self.results.len()
    }

    fn render(&self, levels: &[Level], budget_report: &BudgetReport) -> io::Result<String> {
        self.written.set(self.written.get() + 1);
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
fn each_plan_shows_less_than_the_one_before() {
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
fn the_last_results_lose_first() {
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
fn what_fits_is_shown_whole() {
    let sheet = Words::new(vec![100, 100, 100]);
    let fitted = fit(&sheet, 400, Tokenizer::O200k).expect("it fits");
    assert_eq!(fitted.levels, [Level::Body; 3]);
    // 300 words, 3 line ends, which are tokens after a word, and `304 of 400` with its line end:
    // the second number has a blank before it.
    assert_eq!(fitted.budget_report.used, Tokenizer::O200k.count(&fitted.text));
    assert!(fitted.text.ends_with(&format!("\n{} of 400\n", fitted.budget_report.used)));
    assert!(sheet.written.get() <= 8, "{}", sheet.written.get());
}

#[test]
fn too_small_a_budget_says_the_least() {
    let sheet = Words::new(vec![9]);
    let Err(BudgetError::TooSmall { least }) = fit(&sheet, 1, Tokenizer::Cl100k) else {
        panic!("nothing fits into one token")
    };
    assert!(fit(&sheet, least - 1, Tokenizer::Cl100k).is_err());
    let fitted = fit(&sheet, least, Tokenizer::Cl100k).expect("the least fits");
    assert_eq!(fitted.levels, [Level::Dropped]);
    assert_eq!(fitted.text, format!("{least} of {least}\n"));
}

proptest! {
    #[test]
    fn never_over_the_budget(
        results in vec(0_usize..200, 0..30),
        tokens in 1_usize..3_000,
    ) {
        let sheet = Words::new(results);
        match fit(&sheet, tokens, Tokenizer::Cl100k) {
            Ok(fitted) => {
                let used = Tokenizer::Cl100k.count(&fitted.text);
                prop_assert!(used <= tokens);
                prop_assert_eq!(used, fitted.budget_report.used);
            }
            Err(BudgetError::TooSmall { least }) => prop_assert!(least > tokens),
            Err(BudgetError::Unwritten(error)) => panic!("{error}"),
        }
        prop_assert!(sheet.written.get() <= 20);
    }
}
