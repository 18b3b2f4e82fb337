//! The cost curves as an SVG picture: time of indexing, and of answers, over the number of chunks.
//! Both axes are logarithmic, so that what grows in proportion is a line of slope one.

use std::fmt::Write as _;

use lore_engine::Mode;

use super::measure::Measured;

const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 260.0;
/// Left edges of the two pictures.
const LEFT: [f64; 2] = [60.0, 480.0];
const TOP: f64 = 50.0;

/// What is drawn in one picture.
struct Panel<'a> {
    title: &'a str,
    lines: Vec<Line<'a>>,
}

struct Line<'a> {
    name: &'a str,
    color: &'a str,
    dashed: bool,
    points: Vec<(f64, f64)>,
}

/// Draws the curves.
pub(super) fn svg(sizes: &[Measured]) -> String {
    let index = Panel {
        title: "indexing, seconds",
        lines: vec![
            Line {
                name: "measured",
                color: "#1f6fb2",
                dashed: false,
                points: points(sizes, |size| Some(size.index_seconds)),
            },
            Line { name: "in proportion", color: "#888", dashed: true, points: proportion(sizes) },
        ],
    };
    let mut lines = Vec::new();
    for (mode, color) in
        [(Mode::Lexical, "#1f6fb2"), (Mode::Semantic, "#c2571a"), (Mode::Hybrid, "#2f8f4e")]
    {
        let times = |size: &Measured| size.times(mode).copied();
        lines.push(Line {
            name: mode.as_str(),
            color,
            dashed: false,
            points: points(sizes, |size| Some(times(size)?.p50)),
        });
        lines.push(Line {
            name: "",
            color,
            dashed: true,
            points: points(sizes, |size| Some(times(size)?.p99)),
        });
    }
    let search = Panel { title: "a question, milliseconds (dashed: 99th percentile)", lines };

    let mut out = String::new();
    let _ = writeln!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 370" font-family="sans-serif" font-size="12">
<title>Cost of indexing and of searching over the number of chunks</title>
<rect width="860" height="370" fill="#fff"/>"##
    );
    for (panel, left) in [index, search].iter().zip(LEFT) {
        draw(&mut out, panel, left);
    }
    out.push_str("</svg>\n");
    out
}

fn points(sizes: &[Measured], value: impl Fn(&Measured) -> Option<f64>) -> Vec<(f64, f64)> {
    sizes.iter().filter_map(|size| Some((size.chunks as f64, value(size)?))).collect()
}

/// The times that the second size, or the only one, would lead to expect.
fn proportion(sizes: &[Measured]) -> Vec<(f64, f64)> {
    let Some(known) = sizes.get(1).or(sizes.first()) else { return Vec::new() };
    points(sizes, |size| Some(known.per_chunk() * size.chunks as f64 / 1e6))
}

/// The powers of ten around some values.
fn decades(values: impl Iterator<Item = f64>) -> (i32, i32) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.filter(|value| *value > 0.0) {
        low = low.min(value.log10());
        high = high.max(value.log10());
    }
    if low > high {
        return (0, 1);
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "logarithms of times and of counts are small"
    )]
    let (low, high) = ((low - 0.05).floor() as i32, (high + 0.05).ceil() as i32);
    (low, high.max(low + 1))
}

fn draw(out: &mut String, panel: &Panel<'_>, left: f64) {
    let all = || panel.lines.iter().flat_map(|line| &line.points);
    let (x_low, x_high) = decades(all().map(|point| point.0));
    let (y_low, y_high) = decades(all().map(|point| point.1));
    let along = |value: f64, (low, high): (i32, i32), length: f64| {
        (value.log10() - f64::from(low)) / f64::from(high - low) * length
    };
    let x = |value: f64| left + along(value, (x_low, x_high), WIDTH);
    let y = |value: f64| TOP + HEIGHT - along(value, (y_low, y_high), HEIGHT);
    let _ = writeln!(out, r#"<text x="{left}" y="28" font-weight="bold">{}</text>"#, panel.title);
    for power in x_low..=x_high {
        let (at, bottom) = (x(10_f64.powi(power)), TOP + HEIGHT);
        let _ = writeln!(
            out,
            r##"<path d="M{at:.1} {TOP}V{bottom}" stroke="#e4e4e4"/><text x="{at:.1}" y="{:.1}" text-anchor="middle">{}</text>"##,
            bottom + 18.0,
            label(power)
        );
    }
    for power in y_low..=y_high {
        let at = y(10_f64.powi(power));
        let _ = writeln!(
            out,
            r##"<path d="M{left} {at:.1}H{}" stroke="#e4e4e4"/><text x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"##,
            left + WIDTH,
            left - 6.0,
            at + 4.0,
            label(power)
        );
    }
    let _ = writeln!(
        out,
        r#"<text x="{:.1}" y="{:.1}" text-anchor="middle">chunks</text>"#,
        left + WIDTH / 2.0,
        TOP + HEIGHT + 38.0
    );
    let mut row = TOP + 16.0;
    for line in panel.lines.iter().filter(|line| !line.points.is_empty()) {
        let dashes = if line.dashed { r#" stroke-dasharray="4 3""# } else { "" };
        let path: Vec<String> = line
            .points
            .iter()
            .map(|point| format!("{:.1},{:.1}", x(point.0), y(point.1)))
            .collect();
        let color = line.color;
        let _ = writeln!(
            out,
            r#"<polyline fill="none" stroke="{color}" stroke-width="1.6"{dashes} points="{}"/>"#,
            path.join(" ")
        );
        if !line.dashed {
            for point in &line.points {
                let (x, y) = (x(point.0), y(point.1));
                let _ =
                    writeln!(out, r#"<circle cx="{x:.1}" cy="{y:.1}" r="2.6" fill="{color}"/>"#);
            }
        }
        if !line.name.is_empty() {
            let (from, to) = (left + 10.0, left + 32.0);
            let _ = writeln!(
                out,
                r#"<path d="M{from} {row}H{to}" stroke="{color}" stroke-width="1.6"{dashes}/><text x="{}" y="{}">{}</text>"#,
                to + 6.0,
                row + 4.0,
                line.name
            );
            row += 16.0;
        }
    }
}

/// A power of ten as people write it.
fn label(power: i32) -> String {
    match power {
        0.. => crate::output::count(10_u64.saturating_pow(power.unsigned_abs())),
        _ => format!("0.{}1", "0".repeat((power.unsigned_abs() - 1) as usize)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::bench::measure::Times;

    fn size(chunks: u64, seconds: f64) -> Measured {
        let times = |mode, p50| Times { mode, answers: 9, p50, p99: p50 * 2.0 };
        Measured {
            wanted: chunks,
            chunks,
            files: 10,
            text_bytes: 1_000,
            index_bytes: 500,
            generate_seconds: 0.1,
            index_seconds: seconds,
            index_memory: None,
            search_memory: None,
            answers: vec![times(Mode::Lexical, 0.5), times(Mode::Hybrid, 2.0)],
        }
    }

    /// Ten times the chunks is one decade to the right; ten times the seconds one decade up.
    #[test]
    fn proportion_is_a_line_of_slope_one() {
        let drawn = svg(&[size(1_000, 0.5), size(10_000, 5.0)]);
        assert_eq!(drawn.matches("<polyline").count(), 2 + 4, "{drawn}");
        let measured = drawn.split("points=\"").nth(1).and_then(|rest| rest.split('"').next());
        let proportion = drawn.split("points=\"").nth(2).and_then(|rest| rest.split('"').next());
        assert_eq!(measured, proportion);
        assert!(drawn.starts_with("<svg") && drawn.ends_with("</svg>\n"));
        assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
    }

    #[test]
    fn one_size_is_drawn_and_none_too() {
        for sizes in [&[size(1_000, 0.5)][..], &[]] {
            let drawn = svg(sizes);
            assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
        }
    }

    #[test]
    fn powers_are_written_out() {
        let labels: Vec<String> = [-2, -1, 0, 1].map(label).into();
        assert_eq!(labels, ["0.01", "0.1", "1", "10"]);
    }
}
