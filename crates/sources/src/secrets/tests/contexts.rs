//! Secrets that only the text around them shows: every way in which programs, settings files and
//! commands write a name and a value, and texts that resemble them.

use super::{PLAIN, check_plain, noise, redact, uuid};

/// A password with punctuation, assembled so that no scanner reports this file.
fn password() -> String {
    ["k7#pQ", "x&2v$", "Zt9w"].concat()
}

/// A password of letters and digits.
fn plain_password() -> String {
    ["k7pQx2", "vZt9wR4m"].concat()
}

/// Checks that no part of the value that replaces a mark in a text is left.
#[track_caller]
fn check(text: &str) {
    let values = [
        ("{token}", noise(PLAIN, 40)),
        ("{mixed}", password()),
        ("{plain}", plain_password()),
        ("{uuid}", uuid()),
        ("{base64}", format!("{}==", noise(PLAIN, 26))),
    ];
    let (mark, value) = values.iter().find(|(mark, _)| text.contains(mark)).expect("a mark");
    let before = text.replace(mark, value);
    let after = redact(before.clone());
    let is_left = (0..value.len() - 5).any(|at| after.contains(&value[at..at + 6]));
    assert!(!is_left && after.contains("[redacted:"), "{before}\n{after}");
    assert_eq!(before.lines().count(), after.lines().count(), "{before}");
    assert_eq!(redact(after.clone()), after, "it is its own fixed point");
}

#[test]
fn constants_with_a_type() {
    for text in [
        "const API_KEY: &str = \"{token}\";\n",
        "pub static SECRET_KEY: &'static str = \"{token}\";\n",
        "let apiKey: String = \"{token}\"\n",
        "static var clientSecret: String? = \"{token}\"\n",
        "private val apiToken: String = \"{token}\"\n",
        "const val API_KEY = \"{token}\"\n",
        "private const string ApiKey = \"{token}\";\n",
        "public string ApiKey { get; set; } = \"{token}\";\n",
        "static const char api_key[] = \"{token}\";\n",
        "const char *api_key = \"{token}\";\n",
        "var apiKey string = \"{token}\"\n",
        "const apiKey = `{token}`\n",
        "const apiKey: string = '{token}';\n",
        "API_KEY: Final[str] = \"{token}\"\n",
        "let API_KEY: &[u8] = b\"{token}\";\n",
        "key = r#\"api_key = \"{token}\"\"#\n",
        "#define API_KEY \"{token}\"\n",
        "#define WIFI_PASSWORD \"{mixed}\"\n",
        "$env:API_KEY = \"{token}\"\n",
        "define('DB_PASSWORD', '{mixed}');\n",
    ] {
        check(text);
    }
}

#[test]
fn settings_files_and_variables() {
    for text in [
        "DB_PASS={mixed}\n",
        "DB_PASS={plain}\n",
        "export DB_PASS='{mixed}'\n",
        "DB_PWD={mixed}\n",
        "MYSQL_ROOT_PASSWORD={mixed}\n",
        "password: {mixed}\n",
        "  db_password: \"{mixed}\"\n",
        "\"password\": \"{mixed}\",\n",
        "password = {mixed}\n",
        "spring.datasource.password={mixed}\n",
        "      - POSTGRES_PASSWORD={mixed}\n",
        "      POSTGRES_PASSWORD: {mixed}\n",
        "api_secret = \"{mixed}\"\n",
        "API_KEY={uuid}\n",
        "api_key: \"{uuid}\"\n",
        "const clientSecret = \"{uuid}\";\n",
        "//registry.npmjs.org/:_authToken={uuid}\n",
        "_auth={base64}\n",
        "requirepass {plain}\n",
        "ENV API_KEY {token}\n",
        "ENV API_KEY={token}\n",
        "ENV POSTGRES_PASSWORD {mixed}\n",
        "ARG NPM_TOKEN={token}\n",
        "set API_KEY={token}\n",
        "set -x API_KEY {token}\n",
        "setx API_KEY \"{token}\"\n",
    ] {
        check(text);
    }
}

#[test]
fn elements_and_pairs() {
    for text in [
        "<add key=\"ApiKey\" value=\"{token}\" />\n",
        "<add key=\"ClearTextPassword\" value=\"{mixed}\" />\n",
        "<property name=\"password\" value=\"{mixed}\"/>\n",
        "<apiKey>{token}</apiKey>\n",
        "<db:password>{mixed}</db:password>\n",
        "<string name=\"google_api_key\">{token}</string>\n",
        "<string name=\"api_secret\" translatable=\"false\">{token}</string>\n",
        "<key>ApiKey</key>\n<string>{token}</string>\n",
        "<entry key=\"db.password\">{mixed}</entry>\n",
        "- name: API_KEY\n  value: {token}\n",
        "  - name: DB_PASSWORD\n    value: \"{mixed}\"\n",
        "{\"name\": \"API_KEY\", \"value\": \"{token}\"}\n",
        "variable \"db_password\" {\n  type = string\n  default = \"{mixed}\"\n}\n",
        "apiVersion: v1\nkind: Secret\ndata:\n  key: {base64}\n",
        "stringData:\n  user: \"{plain}\"\nkind: Secret\n",
        "kind: Secret\ndata:\n  key: |\n    {base64}\n",
    ] {
        check(text);
    }
}

#[test]
fn commands_and_headers() {
    for text in [
        "mysql -u root --password {mixed}\n",
        "mysql -u root --password={plain} db\n",
        "deploy --api-key {token} --region x\n",
        "tool --password \"{mixed}\" run\n",
        "helm install --set auth.password={plain} x\n",
        "java -Ddb.password={plain} -jar x.jar\n",
        "curl -u bot:{mixed} https://x.internal/\n",
        "curl --user 'bot:{mixed}' https://x.internal/\n",
        "curl -H \"X-Api-Key: {token}\" https://x\n",
        "curl -H 'Authorization: Bearer {token}' https://x\n",
        "Authorization: Basic {base64}\n",
        "machine git.internal login bot password {mixed}\n",
        "machine git.internal\n  login bot\n  password {plain}\n",
        "https://{token}@github.com/a/b\n",
        "\"host=db user=app password={plain} dbname=x\"\n",
    ] {
        check(text);
    }
}

#[test]
fn statements_and_calls() {
    for text in [
        "CREATE USER app WITH PASSWORD '{mixed}';\n",
        "CREATE USER 'app'@'%' IDENTIFIED BY '{mixed}';\n",
        "ALTER USER app IDENTIFIED WITH mysql_native_password BY '{mixed}';\n",
        "ALTER ROLE app ENCRYPTED PASSWORD '{mixed}';\n",
        "SET PASSWORD FOR 'app' = PASSWORD('{mixed}');\n",
        "os.Setenv(\"API_KEY\", \"{token}\")\n",
        "os.environ.get(\"API_KEY\", \"{token}\")\n",
        "const key = process.env.API_KEY || '{token}';\n",
        "client.setApiKey(\"{token}\");\n",
        "builder.password(\"{mixed}\")\n",
        "if password == \"{mixed}\":\n",
        "fix: rotate the password to {mixed}\n",
        "the token is {token}.\n",
    ] {
        check(text);
    }
}

#[test]
fn texts_that_only_resemble_a_secret() {
    for text in [
        "type AtomicU32ProgressTokenProvider = AtomicU32TokenProvider;\n",
        "a handle to pass to `OpenProcess2Token`.\n",
        "of the form `[protocol://][user[:password]@]proxyhost[:port]`\n",
        "_, delta, err := s.appendFloatHistogram2(t, fh)\n",
        "resolve(re_compile_pattern_with_flags_2)\n",
        "token: 550e8400-e29b-41d4-a716-446655440000\n",
        "API_KEY=00000000-0000-0000-0000-000000000001\n",
        "- name: API_KEY\n  valueFrom:\n    secretKeyRef:\n      name: keys2024a8b9c1d2\n",
        "password: {{ .Values.auth.password1 }}\n",
        "password: !vault |\n",
        "PASSWORD=$(cat /run/secrets/db1)\n",
        "--password \"$DB_PASSWORD1\"\n",
        "--password <password1>\n",
        "<password>${db.password1}</password>\n",
        "kind: Secret\nmetadata:\n  name: keys2024a8b9c1d2\ntype: Opaque\n",
        "kind: Secret\nstringData:\n  key: ${KEY_OF_2024}\n",
        "kind: SecretStore\ndata:\n  key: bm9uc2Vuc2UxMjM0\n",
        "the password is required in version 2.1.0-beta3\n",
        "a token is 32 characters long, see RFC6750\n",
        "passes = run1(passed2)\nbypass = k7pQx2vZt9wR4m\n",
        "global_blob = 'live2_items_of_a_tenant'\n",
        "| 1234567890123456 | 27 |\n",
    ] {
        check_plain(text);
    }
}

/// Each occurrence of a mark is examined within a bounded distance, and a manifest once.
#[test]
fn repeated_marks_of_manifests_take_linear_time() {
    let line = "kind: Secret\ndata:\n  key: bm9uc2Vuc2UxMjM0NTY3\n";
    let text = line.repeat(4_000);
    let after = redact(text.clone());
    assert_eq!(after.lines().count(), text.lines().count());
    assert!(3_900 <= after.matches("[redacted:kubernetes-secret]").count());
}
