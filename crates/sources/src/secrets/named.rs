//! Table of vendors whose keys have no prefix: the name of the vendor beside the key, and the form
//! of the key. Rows are sorted by name.

use super::{
    form::{Alphabet, Form},
    rule::{Rule, Shape},
};

/// Creates the rule of keys beside the name of a vendor.
const fn named(
    name: &'static str,
    prefixes: &'static [&'static str],
    forms: &'static [Form],
) -> Rule {
    Rule { name, prefixes, shape: Shape::Named(forms) }
}

/// A value of one length.
const fn exactly(alphabet: Alphabet, length: usize) -> Form {
    between(alphabet, length, length)
}

/// A value of several lengths.
const fn between(alphabet: Alphabet, min: usize, max: usize) -> Form {
    after("", alphabet, min, max)
}

/// A value with a start of its own.
const fn after(start: &'static str, alphabet: Alphabet, min: usize, max: usize) -> Form {
    Form { start, alphabet, min, max }
}

/// Rules of named keys, sorted by name.
pub(super) const NAMED: &[Rule] = &[
    named("adafruit-key", &["adafruit"], &[exactly(Alphabet::Url, 32)]),
    named("adobe-key", &["adobe"], &[exactly(Alphabet::Hex, 32)]),
    named("airtable-key", &["airtable"], &[exactly(Alphabet::Plain, 17)]),
    named("algolia-key", &["algolia"], &[exactly(Alphabet::Plain, 32)]),
    named("alibaba-key", &["alibaba", "aliyun"], &[exactly(Alphabet::Plain, 30)]),
    named("asana-key", &["asana"], &[exactly(Alphabet::Digits, 16), exactly(Alphabet::Plain, 32)]),
    named("assemblyai-key", &["assemblyai"], &[exactly(Alphabet::Hex, 32)]),
    named("atlassian-token", &["atlassian", "confluence", "jira"], &[exactly(Alphabet::Plain, 24)]),
    named("beamer-token", &["beamer"], &[after("b_", Alphabet::Url, 44, 44)]),
    named(
        "bitbucket-key",
        &["bitbucket"],
        &[exactly(Alphabet::Plain, 32), exactly(Alphabet::Url, 64)],
    ),
    named("bittrex-key", &["bittrex"], &[exactly(Alphabet::Plain, 32)]),
    named(
        "cloudflare-key",
        &["cloudflare"],
        &[exactly(Alphabet::Url, 40), exactly(Alphabet::Hex, 37)],
    ),
    named(
        "codecov-token",
        &["codecov"],
        &[exactly(Alphabet::Plain, 32), exactly(Alphabet::Uuid, 36)],
    ),
    named("cohere-key", &["co_api_key", "cohere"], &[exactly(Alphabet::Plain, 40)]),
    named("coinbase-token", &["coinbase"], &[exactly(Alphabet::Url, 64)]),
    named(
        "confluent-key",
        &["confluent"],
        &[exactly(Alphabet::Plain, 16), exactly(Alphabet::Plain, 64)],
    ),
    named("contentful-token", &["contentful"], &[exactly(Alphabet::Url, 43)]),
    named(
        "datadog-key",
        &["datadog", "dd_api_key", "dd_app_key"],
        &[exactly(Alphabet::Plain, 40), exactly(Alphabet::Hex, 32)],
    ),
    named("deepgram-key", &["deepgram"], &[exactly(Alphabet::Hex, 40)]),
    named(
        "discord-token",
        &["discord"],
        &[
            exactly(Alphabet::Hex, 64),
            between(Alphabet::Digits, 18, 19),
            exactly(Alphabet::Url, 32),
            between(Alphabet::Dotted, 58, 84),
        ],
    ),
    named("droneci-token", &["droneci", "drone_token"], &[exactly(Alphabet::Plain, 32)]),
    named(
        "dropbox-token",
        &["dropbox"],
        &[
            exactly(Alphabet::Plain, 15),
            exactly(Alphabet::Url, 64),
            after("sl.", Alphabet::Url, 130, 152),
        ],
    ),
    named(
        "elevenlabs-key",
        &["elevenlabs", "xi_api_key", "xi-api-key"],
        &[exactly(Alphabet::Hex, 32), after("sk_", Alphabet::Hex, 48, 48)],
    ),
    named("etsy-token", &["etsy"], &[exactly(Alphabet::Plain, 24)]),
    named("exa-key", &["exa_api_key"], &[exactly(Alphabet::Uuid, 36)]),
    named("facebook-secret", &["facebook"], &[exactly(Alphabet::Hex, 32)]),
    named("fastly-token", &["fastly"], &[exactly(Alphabet::Url, 32)]),
    named(
        "finicity-key",
        &["finicity"],
        &[exactly(Alphabet::Hex, 32), exactly(Alphabet::Plain, 20)],
    ),
    named("finnhub-token", &["finnhub"], &[exactly(Alphabet::Plain, 20)]),
    named("flickr-token", &["flickr"], &[exactly(Alphabet::Plain, 32)]),
    named("freemius-key", &["freemius"], &[after("sk_", Alphabet::Dotted, 29, 29)]),
    named("freshbooks-token", &["freshbooks"], &[exactly(Alphabet::Plain, 64)]),
    named("gitter-token", &["gitter"], &[exactly(Alphabet::Url, 40)]),
    named("gocardless-token", &["gocardless"], &[after("live_", Alphabet::Url, 40, 40)]),
    named("heroku-key", &["heroku"], &[exactly(Alphabet::Uuid, 36)]),
    named("hubspot-token", &["hubspot"], &[exactly(Alphabet::Uuid, 36)]),
    named("intercom-key", &["intercom"], &[exactly(Alphabet::Url, 60)]),
    named(
        "jfrog-token",
        &["artifactory", "bintray", "jfrog", "xray"],
        &[exactly(Alphabet::Plain, 73), exactly(Alphabet::Plain, 64)],
    ),
    named("kraken-token", &["kraken"], &[between(Alphabet::Base64, 80, 90)]),
    named("kucoin-key", &["kucoin"], &[exactly(Alphabet::Hex, 24), exactly(Alphabet::Uuid, 36)]),
    named("launchdarkly-token", &["launchdarkly"], &[exactly(Alphabet::Url, 40)]),
    named("linear-key", &["linear"], &[exactly(Alphabet::Hex, 32)]),
    named(
        "linkedin-key",
        &["linked-in", "linked_in", "linkedin"],
        &[exactly(Alphabet::Plain, 14), exactly(Alphabet::Plain, 16)],
    ),
    named(
        "lob-key",
        &["lob"],
        &[
            after("live_", Alphabet::Hex, 35, 35),
            after("test_", Alphabet::Hex, 35, 35),
            after("live_pub_", Alphabet::Hex, 31, 31),
            after("test_pub_", Alphabet::Hex, 31, 31),
        ],
    ),
    named("looker-key", &["looker"], &[exactly(Alphabet::Plain, 20), exactly(Alphabet::Plain, 24)]),
    named("mailgun-key", &["mailgun"], &[exactly(Alphabet::Url, 50)]),
    named("mapbox-token", &["mapbox"], &[after("pk.", Alphabet::Dotted, 83, 83)]),
    named("mattermost-token", &["mattermost"], &[exactly(Alphabet::Plain, 26)]),
    named("meraki-key", &["meraki"], &[exactly(Alphabet::Hex, 40)]),
    named(
        "messagebird-key",
        &["message-bird", "message_bird", "messagebird"],
        &[exactly(Alphabet::Plain, 25), exactly(Alphabet::Uuid, 36)],
    ),
    named("mistral-key", &["mistral"], &[exactly(Alphabet::Plain, 32)]),
    named("netlify-token", &["netlify"], &[between(Alphabet::Url, 40, 46)]),
    named("newrelic-key", &["new-relic", "new_relic", "newrelic"], &[exactly(Alphabet::Plain, 64)]),
    named(
        "nytimes-token",
        &["new-york-times", "newyorktimes", "nytimes"],
        &[exactly(Alphabet::Url, 32)],
    ),
    named("okta-token", &["okta"], &[after("00", Alphabet::Url, 40, 40)]),
    named("pinecone-key", &["pinecone"], &[exactly(Alphabet::Uuid, 36)]),
    named("plaid-key", &["plaid"], &[exactly(Alphabet::Plain, 24), exactly(Alphabet::Plain, 30)]),
    named(
        "private-ai-key",
        &["private-ai", "private_ai", "privateai"],
        &[exactly(Alphabet::Plain, 32)],
    ),
    named("rapidapi-token", &["rapidapi"], &[exactly(Alphabet::Url, 50)]),
    named(
        "segment-key",
        &["segment_write_key", "segment_api_key"],
        &[exactly(Alphabet::Plain, 32)],
    ),
    named(
        "sendbird-key",
        &["sendbird"],
        &[exactly(Alphabet::Uuid, 36), exactly(Alphabet::Hex, 40)],
    ),
    named("sentry-token", &["sentry"], &[exactly(Alphabet::Hex, 64), exactly(Alphabet::Hex, 32)]),
    named(
        "sidekiq-secret",
        &["bundle_enterprise__contribsys__com", "bundle_gems__contribsys__com"],
        &[exactly(Alphabet::HexParts, 17)],
    ),
    named("snyk-token", &["snyk"], &[exactly(Alphabet::Uuid, 36)]),
    named(
        "sonar-token",
        &["sonar"],
        &[
            exactly(Alphabet::Url, 40),
            after("sqa_", Alphabet::Url, 40, 40),
            after("sqp_", Alphabet::Url, 40, 40),
            after("squ_", Alphabet::Url, 40, 40),
        ],
    ),
    named("sourcegraph-token", &["sourcegraph"], &[exactly(Alphabet::Hex, 40)]),
    named("squarespace-token", &["squarespace"], &[exactly(Alphabet::Uuid, 36)]),
    named(
        "sumologic-key",
        &["sumo", "sumologic"],
        &[after("su", Alphabet::Plain, 12, 12), exactly(Alphabet::Plain, 64)],
    ),
    named("travis-token", &["travis", "travisci"], &[exactly(Alphabet::Plain, 22)]),
    named("trello-key", &["trello"], &[exactly(Alphabet::Hex, 32), exactly(Alphabet::Hex, 64)]),
    named("twitch-token", &["twitch"], &[exactly(Alphabet::Plain, 30)]),
    named(
        "twitter-key",
        &["twitter"],
        &[
            exactly(Alphabet::Plain, 45),
            between(Alphabet::Url, 36, 66),
            exactly(Alphabet::Plain, 25),
            exactly(Alphabet::Plain, 50),
            after("AAAAAAAAAAAAAAAAAAAAAA", Alphabet::Base64, 80, 100),
        ],
    ),
    named("yandex-token", &["yandex"], &[after("YC", Alphabet::Url, 38, 38)]),
    named("zendesk-key", &["zendesk"], &[exactly(Alphabet::Plain, 40)]),
];
