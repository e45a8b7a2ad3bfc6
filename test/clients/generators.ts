import type { ReleasedVersion } from "./released-program.ts";

/** How to test a generator. A shell runs each command in the folder of the generator, with `API_URL` in the environment. */
export type Generator = {
  /** The folder in test/clients. */
  readonly name: string;
  readonly language: string;
  readonly tool: string;
  /** The file that pins the version of the tool. */
  readonly manifest: string;
  /** Programs that must be on PATH. If one is missing, the run skips the generator and prints why. */
  readonly needs: readonly string[];
  /** A compiler that CI can't install, because the version of Debian is too old. Without it, even `--all` skips the generator. */
  readonly compiler?: "go" | "cargo";
  readonly install: string;
  readonly generate: string;
  /** The files with the first lines of a client for openapi/CLIENTS.md, between `begin` and `end`. */
  readonly sources: readonly string[];
  /** How strictly the client is compiled, as text for the table. */
  readonly strictness: string;
  readonly compile: string;
  readonly journey: string;
  /** The module for receivers of webhooks, which the service has for this language. */
  readonly receiver?: "webhooks.ts" | "webhooks.py";
  /** What differs for clients of released versions. */
  readonly formerly: Readonly<Record<ReleasedVersion, Formerly>>;
};

type Formerly = {
  /** The names that differ in the client: what you change in a program when you generate its client again. */
  readonly changes?: readonly { readonly now: string; readonly then: string }[];
  readonly compile?: string;
};

const PIP_INSTALL = "python3 -m venv build/venv && build/venv/bin/pip install -q -r requirements.txt";

/** In 1.0.0, all lists had one type for `sort`. */
const SORT_ORDER = [
  { now: "PostSortOrder", then: "SortOrder" },
  { now: "OldestPostFirst", then: "OldestFirst" },
];
/** Until 1.2.0, these took no precondition and no key, and required a body. */
const GO_ARGUMENTS = [{ now: "list.Data[0].Id, nil, ", then: "list.Data[0].Id, " }];
const RUST_ARGUMENTS = [
  { now: "(NotificationStatus::Read), None)", then: "(NotificationStatus::Read))" },
  { now: "poster(client, &id, None, None, None, None)", then: "poster(client, &id, None, None, None)" },
];
const AS_NOW: Generator["formerly"] = { "1.0.0": {}, "1.1.0": {} };
const ONE_SORT_ORDER: Generator["formerly"] = { ...AS_NOW, "1.0.0": { changes: SORT_ORDER } };

const typescript = (
  generator: Pick<Generator, "name" | "tool" | "generate" | "strictness"> & Partial<Pick<Generator, "sources" | "receiver">>,
): Generator => ({
  sources: ["journey.ts"],
  ...generator,
  language: "TypeScript",
  manifest: "../package.json",
  needs: ["npm"],
  install: "node ../install.ts",
  compile: "npx tsc",
  journey: `node build/js/${generator.name}/journey.js`,
  formerly: AS_NOW,
});

/** openapi-generator is a Java program. Its wheel on PyPI contains the jar. */
const openapiGenerator = (target: string, properties: string) => ({
  tool: "openapi-generator-cli",
  manifest: "requirements.txt",
  install: PIP_INSTALL,
  generate:
    `rm -rf build/client && build/venv/bin/openapi-generator-cli generate -g ${target} -i $API_URL/openapi.json -o build/client` +
    ` --additional-properties=${properties}`,
});

export const generators: readonly Generator[] = [
  typescript({
    name: "typescript-openapi-fetch",
    receiver: "webhooks.ts",
    tool: "openapi-typescript",
    strictness: "`tsc`, strictest",
    // Without --immutable, because openapi-fetch 0.17 treats read-only arrays as objects.
    generate: "npx openapi-typescript $API_URL/openapi.json --default-non-nullable=false -o build/openapi.d.ts",
  }),
  typescript({
    name: "typescript-hey-api",
    tool: "@hey-api/openapi-ts",
    strictness: "`tsc`, strictest but `exactOptionalPropertyTypes`",
    generate: "npx @hey-api/openapi-ts -i $API_URL/openapi.json -o build/client --silent --no-log-file",
  }),
  typescript({
    name: "typescript-orval",
    tool: "orval",
    sources: ["authorized-fetch.ts", "journey.ts"],
    strictness: "`tsc`, strictest",
    generate: "npx orval --fail-on-warnings",
  }),
  {
    ...openapiGenerator("python", "packageName=plumbline_client"),
    name: "python-openapi-generator",
    language: "Python",
    sources: ["journey.py"],
    needs: ["python3", "java"],
    strictness: "`mypy --strict`, the generated code by its own settings",
    compile: "build/venv/bin/mypy journey.py",
    journey: "PYTHONPATH=build/client:build build/venv/bin/python journey.py",
    receiver: "webhooks.py",
    formerly: {
      ...AS_NOW,
      // 1.0.0 has a `bearerFormat` in two words, which mypy refuses in the generated code.
      "1.0.0": { changes: SORT_ORDER, compile: "build/venv/bin/mypy --disable-error-code=typeddict-item journey.py" },
    },
  },
  {
    name: "go-oapi-codegen",
    language: "Go",
    tool: "github.com/oapi-codegen/oapi-codegen/v2",
    sources: ["journey.go"],
    manifest: "go.mod",
    needs: [],
    compiler: "go",
    install: "go mod download",
    generate: "mkdir -p build/api && go tool oapi-codegen -config oapi-codegen.yaml $API_URL/openapi.json",
    strictness: "`go vet`",
    compile: "go vet ./... && go build -o build/journey .",
    journey: "build/journey",
    formerly: {
      "1.0.0": { changes: [...SORT_ORDER, ...GO_ARGUMENTS] },
      "1.1.0": { changes: [...GO_ARGUMENTS, { now: "video.Id, nil, api.CreatePlayback", then: "video.Id, api.CreatePlayback" }] },
    },
  },
  {
    name: "java-openapi-generator",
    language: "Java",
    tool: "openapi-generator.version",
    sources: ["src/Journey.java"],
    manifest: "pom.xml",
    needs: ["java", "mvn"],
    install: "mvn -B -q dependency:resolve",
    generate: "rm -rf build/client && mvn -B -q generate-sources",
    strictness: "`javac -Xlint:all -Werror` but `rawtypes`, `static`",
    compile: "mvn -B -q compile -Dcodegen.skip=true",
    journey: "java -cp 'build/target/classes:build/lib/*' Journey",
    formerly: {
      ...ONE_SORT_ORDER,
      "1.1.0": { changes: [{ now: "video.getId()).createPlaybackRequest(", then: "video.getId(), " }] },
    },
  },
  {
    ...openapiGenerator("kotlin", "packageName=plumbline"),
    name: "kotlin-openapi-generator",
    language: "Kotlin",
    sources: ["src/Journey.kt"],
    needs: ["java", "mvn", "python3"],
    install: `mvn -B -q dependency:resolve && ${PIP_INSTALL}`,
    strictness: "`kotlinc -Werror` but `USELESS_ELVIS`",
    compile: "mvn -B -q compile",
    journey: "java -cp 'build/target/classes:build/lib/*' JourneyKt",
    formerly: {
      "1.0.0": {
        changes: [
          ...SORT_ORDER,
          { now: "getVideoUploadWithHttpInfo(id, null, null, null)", then: "getVideoUploadWithHttpInfo(id, null)" },
        ],
      },
      "1.1.0": {
        changes: [
          { now: "getVideoUploadWithHttpInfo(id, null, null, null)", then: "getVideoUploadWithHttpInfo(id, null, null)" },
        ],
      },
    },
  },
  {
    ...openapiGenerator("rust", "packageName=plumbline,packageVersion=0.0.0,library=reqwest,supportMiddleware=true"),
    name: "rust-openapi-generator",
    language: "Rust",
    sources: ["src/main.rs"],
    needs: ["java", "python3"],
    compiler: "cargo",
    strictness: "`rustc -D warnings`",
    compile: "RUSTFLAGS='-D warnings' cargo build --locked --target-dir build/target",
    journey: "build/target/debug/journey",
    formerly: {
      "1.0.0": {
        changes: [
          ...SORT_ORDER,
          ...RUST_ARGUMENTS,
          { now: "None, after.as_deref(), None)", then: "None, after.as_deref())" },
          { now: "Some(offset), None, None)", then: "Some(offset), None)" },
          { now: "get_video_upload(client, &id, None, None, None)", then: "get_video_upload(client, &id, None)" },
          { now: "status, kind, None, None, None, None, None, None)", then: "status, kind, None, None, None, None)" },
          { now: '"no-such-url", None, None)', then: '"no-such-url", None)' },
          { now: 'Some("cursor"), None)', then: 'Some("cursor"))' },
        ],
      },
      "1.1.0": {
        changes: [
          ...RUST_ARGUMENTS,
          { now: "&id, None, Some(CreatePlaybackRequest::new())", then: "&id, CreatePlaybackRequest::new()" },
          { now: "get_video_upload(client, &id, None, None, None)", then: "get_video_upload(client, &id, None, None)" },
          { now: "status, kind, None, None, None, None, None, None)", then: "status, kind, None, None, None, None, None)" },
        ],
      },
    },
  },
  {
    ...openapiGenerator("ruby", "gemName=plumbline,moduleName=Plumbline"),
    name: "ruby-openapi-generator",
    language: "Ruby",
    sources: ["journey.rb"],
    needs: ["ruby", "java", "python3"],
    // The client has one dependency, which comes from the system like the other libraries.
    install: `ruby -e "require 'typhoeus'" && ${PIP_INSTALL}`,
    strictness: "`ruby -w` but `duplicated range`",
    compile:
      "ruby -w -e 'def Warning.warn(text, **) = (raise(text) unless text.include?(%q(duplicated range))); ARGV.each { RubyVM::InstructionSequence.compile_file(_1) }'" +
      " *.rb $(find build/client/lib -name '*.rb')",
    journey: "ruby journey.rb",
    formerly: ONE_SORT_ORDER,
  },
  {
    ...openapiGenerator("php", "invokerPackage=Plumbline"),
    name: "php-openapi-generator",
    language: "PHP",
    sources: ["journey.php"],
    needs: ["php", "java", "python3"],
    install: `php -r "require 'GuzzleHttp/autoload.php'; exit(extension_loaded('curl') && extension_loaded('mbstring') ? 0 : 1);" && ${PIP_INSTALL}`,
    strictness: "`php -l`, no warning",
    compile: "find *.php build/client/lib -name '*.php' -print0 | xargs -0 -n1 php -d display_errors=1 -d error_reporting=-1 -l",
    journey: "php -d error_reporting=-1 journey.php",
    formerly: {
      ...AS_NOW,
      "1.0.0": {
        changes: [
          { now: "PostSortOrder", then: "SortOrder" },
          { now: "OLDEST_POST_FIRST", then: "OLDEST_FIRST" },
        ],
      },
    },
  },
];
