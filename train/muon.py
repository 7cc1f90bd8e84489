"""Muon for the matrices, AdamW for everything else, as one optimizer.

Jordan et al., Muon: An optimizer for hidden layers in neural networks (2024): the momentum of a matrix is made
orthogonal before it is added. Embeddings, output layers and vectors stay with AdamW.
"""

from typing import TYPE_CHECKING, Any

import torch

from selfknow.train.recipe import Recipe

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class MuonWithAdam(torch.optim.Optimizer):
    """Muon and AdamW behind the interface of a single optimizer, for schedulers, ``accelerate`` and checkpoints.

    Both share this optimizer's groups and state, so schedulers and checkpoints reach both.

    Args:
        matrices: The parameters for Muon.
        others: The parameters for AdamW.
        recipe: The recipe with the learning rates, momenta and weight decay.
    """

    def __init__(self, matrices: list[torch.nn.Parameter], others: list[torch.nn.Parameter], recipe: Recipe) -> None:
        muon = torch.optim.Muon(
            matrices,
            lr=recipe.muon_learning_rate,
            momentum=recipe.muon_momentum,
            weight_decay=recipe.weight_decay,
        )
        adam = torch.optim.AdamW(
            others,
            lr=recipe.learning_rate,
            betas=(recipe.adam_beta1, recipe.adam_beta2),
            eps=recipe.adam_epsilon,
            weight_decay=recipe.weight_decay,
            fused=True,
        )
        self._parts = (muon, adam)
        super().__init__([*muon.param_groups, *adam.param_groups], {})
        self._share()

    def _share(self) -> None:
        for part, group in zip(self._parts, self.param_groups, strict=True):
            part.param_groups = [group]
            part.state = self.state

    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Update every parameter by one step."""
        assert closure is None, "the Trainer computes gradients before it steps"
        muon, adam = self._parts
        muon.step()
        adam.step()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore the state of both from a checkpoint."""
        super().load_state_dict(state_dict)
        self._share()


def muon_optimizer(model: "PreTrainedModel", recipe: Recipe) -> MuonWithAdam:
    """Make the optimizer of a model: Muon for all linear layers but the output layer, AdamW for the rest."""
    output = model.get_output_embeddings()
    linear = [module.weight for module in model.modules() if isinstance(module, torch.nn.Linear) and module != output]
    matrix_ids = {id(weight) for weight in linear}
    trainable = [parameter for parameter in model.parameters() if parameter.requires_grad]
    matrices = [parameter for parameter in trainable if id(parameter) in matrix_ids]
    return MuonWithAdam(matrices, [parameter for parameter in trainable if id(parameter) not in matrix_ids], recipe)
