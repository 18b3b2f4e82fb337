//! Which texts of the items of a package are written. Pure.

use lore_engine::ContextSection;

use super::{Shape, Shown};

/// Tokens of each text of an item, the fullest first; the last is that of its name and place alone.
pub(super) type Cost = Vec<usize>;

/// Part of a section's allowance that one of several items may take at first, so that a long one
/// does not stand for all.
const PART: usize = 4;

/// Tokens of a section's heading.
const HEADING: usize = 8;

/// Rounds in which sections that are whole give what they do not need to the others.
const ROUNDS: usize = 4;

/// Chooses what fits into so many tokens: each section within its share, the best items first. What
/// sections do not need goes to the others, by their shares; what is left over then to the first item of
/// those that have none, and to fuller texts and further items, the sections of the largest share first.
pub(super) fn choose(sections: &[ContextSection], costs: &[Vec<Cost>], room: usize) -> Shape {
    let mut allowances: Vec<usize> =
        sections.iter().map(|section| share(room, section.share)).collect();
    let mut filled: Vec<(Vec<Shown>, usize)> = Vec::new();
    for _ in 0..ROUNDS {
        filled = costs.iter().zip(&allowances).map(|(items, most)| fill(items, *most)).collect();
        let is_whole = |index: usize| filled[index].0.iter().all(|shown: &Shown| *shown == Some(0));
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
    let mut shape: Shape = filled.into_iter().map(|(items, _)| items).collect();
    // Sections whose share is too small for anything are named before others are told in full.
    for (items, costs) in shape.iter_mut().zip(costs) {
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
            left = fuller(&mut shape[index], item, cost, left);
        }
    }
    shape
}

/// What of a section fits into so many tokens, and how many it takes.
fn fill(costs: &[Cost], allowance: usize) -> (Vec<Shown>, usize) {
    let mut items = vec![None; costs.len()];
    let mut left = allowance;
    let cap = if costs.len() > 1 { allowance / PART } else { allowance };
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

/// Takes the fullest text of an item that fits into what is left, and tells what is left then.
fn fuller(items: &mut [Shown], item: usize, cost: &Cost, left: usize) -> usize {
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
    reason = "a share of a budget is between nothing and the budget"
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

    fn total(shape: &Shape, costs: &[Vec<Cost>]) -> usize {
        let items = shape.iter().zip(costs).flat_map(|(shown, costs)| shown.iter().zip(costs));
        let tokens: usize = items.filter_map(|(shown, cost)| shown.map(|at| cost[at])).sum();
        let headings = shape.iter().filter(|items| items.iter().any(Option::is_some)).count();
        tokens + HEADING * headings
    }

    #[test]
    fn everything_fits_where_there_is_room() {
        let sections = [section(SectionName::Symbols, 0.9, 2), section(SectionName::Tree, 0.1, 1)];
        let costs = vec![vec![vec![400, 20, 5], vec![30, 5]], vec![vec![60, 5]]];
        assert_eq!(choose(&sections, &costs, 600), [vec![Some(0), Some(0)], vec![Some(0)]]);
    }

    #[test]
    fn a_long_text_does_not_stand_for_all() {
        let sections = [section(SectionName::Symbols, 1.0, 4)];
        let costs = vec![vec![vec![90, 10], vec![20, 10], vec![20, 10], vec![20, 10]]];
        // A quarter of what there is is 26: the first is cut, the others are whole.
        let shape = choose(&sections, &costs, 104);
        assert_eq!(shape, [vec![Some(1), Some(0), Some(0), Some(0)]]);
    }

    #[test]
    fn what_is_left_goes_on() {
        let sections = [section(SectionName::Symbols, 0.5, 1), section(SectionName::Tree, 0.5, 2)];
        // The first leaves 30 of 50; the second has 80, of which its items may take 20 each.
        let costs = vec![vec![vec![12, 5]], vec![vec![40, 18, 5], vec![18, 5]]];
        let shape = choose(&sections, &costs, 100);
        assert_eq!(shape, [vec![Some(0)], vec![Some(0), Some(0)]]);
        assert!(total(&shape, &costs) <= 100);
    }

    #[test]
    fn nothing_is_spent_twice() {
        for room in 0..400 {
            let sections =
                [section(SectionName::Specs, 0.2, 2), section(SectionName::Symbols, 0.8, 3)];
            let costs = vec![
                vec![vec![70, 30, 6], vec![15]],
                vec![vec![120, 40, 7], vec![9, 9], vec![60, 12]],
            ];
            let shape = choose(&sections, &costs, room);
            assert!(total(&shape, &costs) <= room, "{room}: {shape:?}");
        }
    }
}
