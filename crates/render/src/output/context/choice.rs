//! Selects the text of each item of a package. Pure.

use lore_engine::ContextSection;

use super::{Choice, Selection};

/// Tokens of each text of an item, the fullest first; the last one is name and place only.
pub(super) type Cost = Vec<usize>;

/// In the first round, one of several items gets at most the allowance of its section divided by this,
/// so that a long item does not displace the others.
const MAX_ITEM_DIVISOR: usize = 4;

/// Tokens of a section's heading.
const HEADING: usize = 8;

/// Maximum number of rounds in which complete sections pass unused tokens to the others.
const MAX_ROUNDS: usize = 4;

/// Selects the texts that fit into `room` tokens:
///
/// 1. Each section gets its share and fills it with its best items.
/// 2. Sections that are complete pass unused tokens to the others, in proportion to their shares.
/// 3. Remaining tokens go to the first item of each empty section.
/// 4. Then they go to fuller texts and further items, the sections with the largest share first.
pub(super) fn choose(sections: &[ContextSection], costs: &[Vec<Cost>], room: usize) -> Selection {
    let mut allowances: Vec<usize> =
        sections.iter().map(|section| share(room, section.share)).collect();
    let mut filled: Vec<(Vec<Choice>, usize)> = Vec::new();
    for _ in 0..MAX_ROUNDS {
        filled = costs.iter().zip(&allowances).map(|(items, most)| fill(items, *most)).collect();
        let is_whole =
            |index: usize| filled[index].0.iter().all(|shown: &Choice| *shown == Some(0));
        let spare: usize = (0..sections.len())
            .filter(|index| is_whole(*index))
            .map(|index| allowances[index] - filled[index].1)
            .sum();
        let others: f64 = (0..sections.len())
            .filter(|index| !is_whole(*index))
            .map(|index| sections[index].share)
            .sum();
        if spare == 0 || others <= 0.0 {
            break;
        }
        for index in 0..sections.len() {
            if is_whole(index) {
                allowances[index] = filled[index].1;
            } else {
                allowances[index] += share(spare, sections[index].share / others);
            }
        }
    }
    let mut left = room.saturating_sub(filled.iter().map(|(_, spent)| spent).sum());
    let mut selection: Selection = filled.into_iter().map(|(items, _)| items).collect();
    // Sections whose share is too small for any item come before fuller texts of other sections.
    for (items, costs) in selection.iter_mut().zip(costs) {
        let least = costs.first().and_then(|cost| cost.last()).map(|tokens| tokens + HEADING);
        if let Some(least) = least.filter(|least| *least <= left)
            && items.iter().all(Option::is_none)
        {
            items[0] = Some(costs[0].len() - 1);
            left -= least;
        }
    }
    let mut order: Vec<usize> = (0..sections.len()).collect();
    order.sort_by(|left, right| sections[*right].share.total_cmp(&sections[*left].share));
    for index in order {
        for (item, cost) in costs[index].iter().enumerate() {
            left = fuller(&mut selection[index], item, cost, left);
        }
    }
    selection
}

/// Selects the texts of a section that fit into `allowance` tokens, and returns them with their tokens.
fn fill(costs: &[Cost], allowance: usize) -> (Vec<Choice>, usize) {
    let mut items = vec![None; costs.len()];
    let mut left = allowance;
    let cap = if costs.len() > 1 { allowance / MAX_ITEM_DIVISOR } else { allowance };
    for (item, cost) in costs.iter().enumerate() {
        let heading = if item == 0 { HEADING } else { 0 };
        let fits = |tokens: usize| tokens + heading <= left;
        let least = cost.len() - 1;
        let shown = cost.iter().position(|tokens| *tokens <= cap && fits(*tokens));
        let Some(shown) = shown.or_else(|| fits(cost[least]).then_some(least)) else { break };
        left -= cost[shown] + heading;
        items[item] = Some(shown);
    }
    (items, allowance - left)
}

/// Selects the fullest text of an item that fits into `left` more tokens. Returns the tokens that
/// remain.
fn fuller(items: &mut [Choice], item: usize, cost: &Cost, left: usize) -> usize {
    let is_first = items.iter().all(Option::is_none);
    let had = items[item].map_or(0, |shown| cost[shown]);
    let heading = if items[item].is_none() && is_first { HEADING } else { 0 };
    let shown = cost
        .iter()
        .enumerate()
        .take(items[item].unwrap_or(cost.len()))
        .find(|(_, tokens)| **tokens + heading <= left + had);
    let Some((shown, tokens)) = shown else { return left };
    items[item] = Some(shown);
    left + had - tokens - heading
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a budget is between 0 and the budget"
)]
fn share(room: usize, share: f64) -> usize {
    (room as f64 * share.clamp(0.0, 1.0)) as usize
}

#[cfg(test)]
mod tests {
    use lore_engine::{ContextItem, SectionName};

    use super::*;

    fn section(name: SectionName, share: f64, items: usize) -> ContextSection {
        ContextSection {
            name,
            share,
            items: vec![ContextItem::default(); items],
            beyond: 0,
            command: Vec::new(),
        }
    }

    fn total(selection: &Selection, costs: &[Vec<Cost>]) -> usize {
        let items = selection.iter().zip(costs).flat_map(|(shown, costs)| shown.iter().zip(costs));
        let tokens: usize = items.filter_map(|(shown, cost)| shown.map(|at| cost[at])).sum();
        let headings = selection.iter().filter(|items| items.iter().any(Option::is_some)).count();
        tokens + HEADING * headings
    }

    #[test]
    fn a_large_budget_shows_every_item_in_full() {
        let sections = [section(SectionName::Symbols, 0.9, 2), section(SectionName::Tree, 0.1, 1)];
        let costs = vec![vec![vec![400, 20, 5], vec![30, 5]], vec![vec![60, 5]]];
        assert_eq!(choose(&sections, &costs, 600), [vec![Some(0), Some(0)], vec![Some(0)]]);
    }

    #[test]
    fn a_long_text_does_not_displace_the_other_items() {
        let sections = [section(SectionName::Symbols, 1.0, 4)];
        let costs = vec![vec![vec![90, 10], vec![20, 10], vec![20, 10], vec![20, 10]]];
        // A quarter of the budget is 26 tokens: the first item is shortened, the others are not.
        let selection = choose(&sections, &costs, 104);
        assert_eq!(selection, [vec![Some(1), Some(0), Some(0), Some(0)]]);
    }

    #[test]
    fn unused_tokens_go_to_other_sections() {
        let sections = [section(SectionName::Symbols, 0.5, 1), section(SectionName::Tree, 0.5, 2)];
        // The first section leaves 30 of its 50 tokens; the second has 80, at most 20 per item.
        let costs = vec![vec![vec![12, 5]], vec![vec![40, 18, 5], vec![18, 5]]];
        let selection = choose(&sections, &costs, 100);
        assert_eq!(selection, [vec![Some(0)], vec![Some(0), Some(0)]]);
        assert!(total(&selection, &costs) <= 100);
    }

    #[test]
    fn no_selection_exceeds_the_budget() {
        for room in 0..400 {
            let sections =
                [section(SectionName::Specs, 0.2, 2), section(SectionName::Symbols, 0.8, 3)];
            let costs = vec![
                vec![vec![70, 30, 6], vec![15]],
                vec![vec![120, 40, 7], vec![9, 9], vec![60, 12]],
            ];
            let selection = choose(&sections, &costs, room);
            assert!(total(&selection, &costs) <= room, "{room}: {selection:?}");
        }
    }
}
