"""Where written policy lies on this computer, and reading it: the administrator's file, then the person's own."""

from __future__ import annotations

import sys
from pathlib import Path

import platformdirs

from operative_app.core.errors import SettingsError
from operative_app.safety.policy_file import PolicyLayer, read_policy

FILE_NAME = "policy.toml"
_NAME = "operative"


def policy_files(config: Path) -> tuple[Path, ...]:
    """The files that are read where they exist, the administrator's first.

    On Linux those below /etc/xdg always count: a variable of the person's can add folders, not take these away.

    Args:
        config: The person's folder of settings.
    """
    shared = [Path(one) for one in platformdirs.site_config_dir(_NAME, appauthor=False, multipath=True).split(":")]
    if sys.platform == "win32":
        shared = [platformdirs.site_config_path(_NAME, appauthor=False)]
    elif sys.platform != "darwin":
        shared = [Path("/etc/xdg") / _NAME, *shared]
    return tuple(dict.fromkeys(folder / FILE_NAME for folder in (*shared, config)))


def policy_layers(config: Path) -> tuple[PolicyLayer, ...]:
    """The layers written in files.

    Raises:
        SettingsError: One cannot be read; file, line and reason are in the sentence.
    """
    layers = []
    for path in policy_files(config):
        try:
            text = path.read_text("utf-8")
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
            raise SettingsError(
                f"The policy file {path} cannot be used: line 1: {reason}. No run starts until it is set right."
            ) from error
        layers.append(PolicyLayer(name=f"the policy file {path}", rules=read_policy(text, path)))
    return tuple(layers)
