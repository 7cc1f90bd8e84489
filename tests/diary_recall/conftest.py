"""Good dataset folders of diary recall, for tests that damage them."""

from tests.dataset_folders import built_standard, built_twins, folder, twins

__all__ = ["built_standard", "built_twins", "folder", "twins"]
