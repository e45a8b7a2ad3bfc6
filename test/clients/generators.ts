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
  readonly install: string;
  readonly generate: string;
  /** The files with the first lines of a client for openapi/CLIENTS.md, between `begin` and `end`. */
  readonly sources: readonly string[];
  /** How strictly the client is compiled, as text for the table. */
  readonly strictness: string;
  readonly compile: string;
  /** `null` if the libraries that the client needs at run time are not available. */
  readonly journey: string | null;
};

const NPM_INSTALL = "npm ci --ignore-scripts --no-audit --no-fund";
const PIP_INSTALL = "python3 -m venv build/venv && build/venv/bin/pip install -q -r requirements.txt";

const typescript = (
  generator: Pick<Generator, "name" | "tool" | "generate" | "strictness"> & { readonly sources?: readonly string[] },
): Generator => ({
  sources: ["journey.ts"],
  ...generator,
  language: "TypeScript",
  manifest: "package.json",
  needs: ["npm"],
  install: NPM_INSTALL,
  compile: "node_modules/.bin/tsc",
  journey: `node build/js/${generator.name}/journey.js`,
});

const python = { language: "Python", sources: ["journey.py"], journey: "PYTHONPATH=..:. build/venv/bin/python journey.py" };

const go = {
  language: "Go",
  sources: ["journey.go"],
  manifest: "go.mod",
  needs: ["go"],
  install: "go mod download",
  strictness: "`go vet`",
  compile: "go vet ./... && go build -o build/journey .",
  journey: "build/journey",
};

/** openapi-generator is a Java program. Its wheel on PyPI contains the jar. */
const openapiGenerator = { tool: "openapi-generator-cli", manifest: "requirements.txt", install: PIP_INSTALL };

/**
 * Debian's Mono doesn't find this library by name. It is also old, so the parts of a client that need a newer version are
 * left out.
 */
const NEWTONSOFT = "newtonsoft=$(find /usr/lib/cli -name Newtonsoft.Json.dll 2>/dev/null | head -1);";

export const generators: readonly Generator[] = [
  typescript({
    name: "typescript-openapi-fetch",
    tool: "openapi-typescript",
    strictness: "`tsc`, strictest",
    // Without --immutable, because openapi-fetch 0.17 treats read-only arrays as objects.
    generate: "node_modules/.bin/openapi-typescript $API_URL/openapi.json --default-non-nullable=false -o build/openapi.d.ts",
  }),
  typescript({
    name: "typescript-hey-api",
    tool: "@hey-api/openapi-ts",
    strictness: "`tsc`, strictest but `exactOptionalPropertyTypes`",
    generate: "node_modules/.bin/openapi-ts -i $API_URL/openapi.json -o build/client --silent --no-log-file",
  }),
  typescript({
    name: "typescript-orval",
    tool: "orval",
    sources: ["authorized-fetch.ts", "journey.ts"],
    strictness: "`tsc`, strictest",
    generate: "node_modules/.bin/orval --fail-on-warnings",
  }),
  typescript({
    name: "typescript-redocly",
    tool: "@redocly/cli",
    strictness: "`tsc`, strictest but `noPropertyAccessFromIndexSignature`",
    generate:
      "node_modules/.bin/redocly generate-client $API_URL/openapi.json -o build/client.ts --error-mode result --args-style grouped",
  }),
  {
    ...python,
    name: "python-openapi-python-client",
    tool: "openapi-python-client",
    manifest: "requirements.txt",
    needs: ["python3"],
    install: PIP_INSTALL,
    generate:
      "PATH=$PWD/build/venv/bin:$PATH openapi-python-client generate --url $API_URL/openapi.json --config generator.yaml" +
      " --meta none --output-path build/plumbline_client --overwrite --fail-on-warning",
    strictness: "`mypy --strict` but `arg-type` in its `client.py`",
    compile: "build/venv/bin/mypy journey.py build/plumbline_client",
  },
  {
    ...python,
    name: "python-redocly",
    tool: "@redocly/cli",
    manifest: "package.json",
    needs: ["python3", "npm"],
    install: `${NPM_INSTALL} && ${PIP_INSTALL}`,
    generate: "node_modules/.bin/redocly generate-client $API_URL/openapi.json --generator python -o build/client.ts",
    strictness: "`mypy --strict`",
    compile: "build/venv/bin/mypy journey.py",
  },
  {
    ...go,
    name: "go-ogen",
    tool: "github.com/ogen-go/ogen",
    generate:
      "curl -sf $API_URL/openapi.json -o build/openapi.json && go tool ogen --config ogen.yaml --target build/api --package api --clean build/openapi.json",
  },
  {
    ...go,
    name: "go-oapi-codegen",
    tool: "github.com/oapi-codegen/oapi-codegen/v2",
    generate: "mkdir -p build/api && go tool oapi-codegen -config oapi-codegen.yaml $API_URL/openapi.json",
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
  },
  {
    ...openapiGenerator,
    name: "kotlin-openapi-generator",
    language: "Kotlin",
    sources: ["src/Journey.kt"],
    needs: ["java", "mvn", "python3"],
    install: `mvn -B -q dependency:resolve && ${PIP_INSTALL}`,
    generate:
      "rm -rf build/client && build/venv/bin/openapi-generator-cli generate -g kotlin -i $API_URL/openapi.json -o build/client" +
      " --additional-properties=packageName=plumbline",
    strictness: "`kotlinc -Werror` but `USELESS_ELVIS`",
    compile: "mvn -B -q compile",
    journey: "java -cp 'build/target/classes:build/lib/*' JourneyKt",
  },
  {
    ...openapiGenerator,
    name: "rust-openapi-generator",
    language: "Rust",
    sources: ["src/main.rs"],
    needs: ["cargo", "java", "python3"],
    generate:
      "rm -rf build/client && build/venv/bin/openapi-generator-cli generate -g rust -i $API_URL/openapi.json -o build/client" +
      " --additional-properties=packageName=plumbline,packageVersion=0.0.0,library=reqwest,supportMiddleware=true",
    strictness: "`rustc -D warnings`",
    compile: "RUSTFLAGS='-D warnings' cargo build --locked --target-dir build/target",
    journey: "build/target/debug/journey",
  },
  {
    ...openapiGenerator,
    name: "ruby-openapi-generator",
    language: "Ruby",
    sources: ["journey.rb"],
    needs: ["ruby", "java", "python3"],
    // The client has one dependency, which comes from the system like the other libraries.
    install: `ruby -e "require 'typhoeus'" && ${PIP_INSTALL}`,
    generate:
      "rm -rf build/client && build/venv/bin/openapi-generator-cli generate -g ruby -i $API_URL/openapi.json -o build/client" +
      " --additional-properties=gemName=plumbline,moduleName=Plumbline",
    strictness: "`ruby -w` but `duplicated range`",
    compile:
      "ruby -w -e 'def Warning.warn(text, **) = (raise(text) unless text.include?(%q(duplicated range))); ARGV.each { RubyVM::InstructionSequence.compile_file(_1) }'" +
      " journey.rb $(find build/client/lib -name '*.rb')",
    journey: "ruby journey.rb",
  },
  {
    ...openapiGenerator,
    name: "php-openapi-generator",
    language: "PHP",
    sources: ["journey.php"],
    needs: ["php", "java", "python3"],
    install: `php -r "require 'GuzzleHttp/autoload.php'; exit(extension_loaded('curl') && extension_loaded('mbstring') ? 0 : 1);" && ${PIP_INSTALL}`,
    generate:
      "rm -rf build/client && build/venv/bin/openapi-generator-cli generate -g php -i $API_URL/openapi.json -o build/client" +
      " --additional-properties=invokerPackage=Plumbline",
    strictness: "`php -l`, no warning",
    compile:
      "find journey.php build/client/lib -name '*.php' -print0 | xargs -0 -n1 php -d display_errors=1 -d error_reporting=-1 -l",
    journey: "php -d error_reporting=-1 journey.php",
  },
  {
    ...openapiGenerator,
    name: "csharp-openapi-generator",
    language: "C#",
    sources: [],
    needs: ["java", "mcs", "python3"],
    install: `${NEWTONSOFT} test -n "$newtonsoft" && ${PIP_INSTALL}`,
    generate:
      "rm -rf build/client && build/venv/bin/openapi-generator-cli generate -g csharp -i $API_URL/openapi.json -o build/client" +
      " --additional-properties=packageName=Plumbline,library=httpclient,targetFramework=net8.0",
    strictness: "`mcs -warnaserror`, the models",
    compile:
      `${NEWTONSOFT} mcs -langversion:latest -warnaserror -target:library -out:build/models.dll -r:"$newtonsoft"` +
      " -r:System.ComponentModel.DataAnnotations -r:System.Runtime.Serialization" +
      " $(find build/client/src/Plumbline/Model -name '*.cs' ! -name AbstractOpenAPISchema.cs)" +
      " build/client/src/Plumbline/Client/OpenAPIDateConverter.cs build/client/src/Plumbline/Client/FileParameter.cs",
    journey: null,
  },
];
