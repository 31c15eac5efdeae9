"""Generates clients and runs the main job with them: `clients.py NAME...`.

The names are `python`, `typescript`, `java`, `axios`, `php` and `csharp`; all of them share one server. The last
four come from openapi-generator, which needs Java. `csharp` is generated only: its compiler is in no package
registry that this project uses.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from server import TARGET, Server

HERE = Path(__file__).resolve().parent
WORK = TARGET / "openapi-clients"


def run(*command: object, **more: object) -> None:
    subprocess.run([str(part) for part in command], check=True, **more)


def python(server: Server) -> None:
    """openapi-python-client; a warning of the generator is a failure."""
    client = WORK / "erp_client"
    shutil.rmtree(client, ignore_errors=True)
    tool = Path(sys.executable).parent / "openapi-python-client"
    settings = HERE / "python-client.yaml"
    command = [tool, "generate", "--fail-on-warning", "--meta", "none", "--config", settings]
    run(*command, "--path", server.document, "--output-path", client)
    environment = {**server.environment(), "PYTHONPATH": str(WORK)}
    run(sys.executable, HERE / "python_client.py", env=environment)


def typescript(server: Server) -> None:
    """openapi-typescript and openapi-fetch, checked by `tsc --strict`; with exact optional members."""
    tools = HERE / "node_modules" / ".bin"
    work = WORK / "typescript"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    # Next to the packages, where tsc and node find them.
    made = HERE / "interface.d.ts"
    run(tools / "openapi-typescript", server.document, "-o", made)
    run(tools / "tsc", "--project", HERE, "--outDir", work)
    (work / "package.json").write_text('{"type": "module"}')
    (work / "node_modules").symlink_to(HERE / "node_modules")
    run("node", work / "typescript_client.js", env=server.environment())


def generator() -> Path:
    """openapi-generator, which also contains the libraries of Java clients."""
    import openapi_generator_cli

    return Path(openapi_generator_cli.__file__).parent / "openapi-generator.jar"


# Warnings of openapi-generator for every document with these features.
HARMLESS = (
    "OpenAPI 3.1 support is still in beta",
    "Ignoring complex example on request body",
    "Record (model name matches existing language type)",
)


def generate(server: Server, name: str, folder: Path, **properties: str) -> None:
    """A client by openapi-generator; the document is validated first. A new warning is a failure."""
    shutil.rmtree(folder, ignore_errors=True)
    command = ["java", "-XX:TieredStopAtLevel=1", "-jar", str(generator()), "generate"]
    command += ["-i", str(server.document), "-g", name, "-o", str(folder)]
    command += ["--global-property", "apiTests=false,modelTests=false,apiDocs=false,modelDocs=false"]
    for key, value in properties.items():
        command += ["--additional-properties", f"{key}={value}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    warnings = [line for line in done.stdout.splitlines() if "WARN" in line or "ERROR" in line]
    new = [line for line in warnings if not any(known in line for known in HARMLESS)]
    assert not new, "\n".join(new)


def java(server: Server) -> None:
    """The library `native`: the HTTP client of Java itself, and Jackson."""
    client, classes = WORK / "java", WORK / "java-classes"
    generate(
        server,
        "java",
        client,
        library="native",
        openApiNullable="false",
        invokerPackage="ch.erp",
        apiPackage="ch.erp.api",
        modelPackage="ch.erp.model",
    )
    shutil.rmtree(classes, ignore_errors=True)
    classes.mkdir(parents=True)
    sources = [*(HERE / "java").rglob("*.java"), *(client / "src" / "main").rglob("*.java")]
    run("javac", "-proc:none", "-nowarn", "-encoding", "UTF-8", "-cp", generator(), "-d", classes, *sources)
    path = f"{classes}{os.pathsep}{generator()}"
    options = ["-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8"]
    run("java", *options, "-cp", path, "MainJob", env=server.environment())


def axios(server: Server) -> None:
    """typescript-axios, checked by `tsc --strict`."""
    work = WORK / "axios"
    shutil.rmtree(work, ignore_errors=True)
    generate(server, "typescript-axios", work / "client", importFileExtension=".js")
    shutil.copy(HERE / "axios_client.ts", work)
    (work / "package.json").write_text('{"type": "module"}')
    (work / "node_modules").symlink_to(HERE / "node_modules")
    options = ["--strict", "--skipLibCheck", "--types", "node", "--target", "es2022"]
    options += ["--module", "nodenext", "--moduleResolution", "nodenext"]
    run(work / "node_modules" / ".bin" / "tsc", *options, "axios_client.ts", cwd=work)
    run("node", "axios_client.js", cwd=work, env=server.environment())


def php(server: Server) -> None:
    """PHP with Guzzle, which Debian has in php-guzzlehttp-guzzle, php-curl and php-mbstring."""
    generate(server, "php", WORK / "php")
    run("php", HERE / "php_client.php", WORK / "php" / "lib", env=server.environment())


def csharp(server: Server) -> None:
    """C#; it is not compiled."""
    generate(server, "csharp", WORK / "csharp")
    made = {path.stem for path in (WORK / "csharp").rglob("*.cs")}
    assert {"AuftragApi", "OrderBody", "AddressBody"} <= made, "the C# client is not whole"
    print("the C# client was generated")


def main() -> None:
    WORK.mkdir(parents=True, exist_ok=True)
    # The generated code is only for this run.
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    clients = {client.__name__: client for client in (python, typescript, java, axios, php, csharp)}
    with Server() as server:
        for name in sys.argv[1:]:
            clients[name](server)


if __name__ == "__main__":
    main()
