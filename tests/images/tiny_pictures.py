"""A pipeline that draws and a model that sees, both with random weights, small enough to be made in a test."""

import json
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    CLIPConfig,
    CLIPImageProcessorPil,
    CLIPTextConfig,
    CLIPTextModel,
    CLIPTokenizer,
    CLIPVisionConfig,
    LlamaConfig,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
    PreTrainedTokenizerFast,
)

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,"
SIDE_IN_PIXELS = 32
IMAGE = "<image>"
TEMPLATE = (
    "{% for message in messages %}{% for part in message['content'] %}"
    "{{ '<image> ' if part['type'] == 'image' else part['text'] + ' ' }}"
    "{% endfor %}{% endfor %}{% if add_generation_prompt %}ASSISTANT:{% endif %}"
)


def tiny_pipeline(folder: Path, *, safety_checker_threshold: float | None = None) -> str:
    """Return a Stable Diffusion of a few thousand weights; with a low threshold its safety checker flags all."""
    # Every worker imports this file, and few run a test that draws.
    from diffusers import AutoencoderKL, DDIMScheduler, StableDiffusionPipeline, UNet2DConditionModel
    from diffusers.pipelines.stable_diffusion import StableDiffusionSafetyChecker

    torch.manual_seed(0)
    words = ["<|startoftext|>", "<|endoftext|>", *LETTERS, *(f"{letter}</w>" for letter in LETTERS)]
    tokenizer = CLIPTokenizer(vocab={word: place for place, word in enumerate(words)}, merges=[], model_max_length=77)
    size = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    ends = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 1}
    text = CLIPTextConfig(vocab_size=len(words), **size, **ends)
    checker = None
    if safety_checker_threshold is not None:
        vision = {**size, "image_size": SIDE_IN_PIXELS, "patch_size": 16}
        checker = StableDiffusionSafetyChecker(CLIPConfig(vision_config=vision, projection_dim=8))
        checker.concept_embeds_weights.data.fill_(safety_checker_threshold)
        checker.special_care_embeds_weights.data.fill_(safety_checker_threshold)
    pipeline = StableDiffusionPipeline(
        vae=AutoencoderKL(
            block_out_channels=(16, 16),
            norm_num_groups=8,
            down_block_types=("DownEncoderBlock2D",) * 2,
            up_block_types=("UpDecoderBlock2D",) * 2,
            latent_channels=4,
            sample_size=SIDE_IN_PIXELS,
        ),
        text_encoder=CLIPTextModel(text),
        tokenizer=tokenizer,
        unet=UNet2DConditionModel(
            sample_size=SIDE_IN_PIXELS // 2,
            in_channels=4,
            out_channels=4,
            block_out_channels=(16, 32),
            layers_per_block=1,
            norm_num_groups=8,
            cross_attention_dim=16,
            attention_head_dim=4,
            down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
            up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        ),
        scheduler=DDIMScheduler(clip_sample=False, steps_offset=1),
        safety_checker=checker,
        feature_extractor=None if checker is None else image_processor(),
        requires_safety_checker=checker is not None,
    )
    pipeline.save_pretrained(folder)
    return str(folder)


def image_processor() -> CLIPImageProcessorPil:
    side = {"height": SIDE_IN_PIXELS, "width": SIDE_IN_PIXELS}
    return CLIPImageProcessorPil(size={"shortest_edge": SIDE_IN_PIXELS}, crop_size=side)


def tiny_vision_model(folder: Path, texts: list[str]) -> str:
    """Return a LLaVA of a few thousand weights that knows the words of some texts."""
    torch.manual_seed(0)
    splitter = pre_tokenizers.WhitespaceSplit()
    words = dict.fromkeys(["[unk]", "[eos]", IMAGE, "ASSISTANT:"])
    words |= dict.fromkeys(word for text in texts for word, _ in splitter.pre_tokenize_str(text))
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="[unk]"))
    tokenizer.pre_tokenizer = splitter
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[unk]",
        eos_token="[eos]",
        pad_token="[eos]",
        extra_special_tokens={"image_token": IMAGE},
    )
    processor = LlavaProcessor(
        image_processor=image_processor(),
        tokenizer=fast,
        patch_size=16,
        vision_feature_select_strategy="full",
        num_additional_image_tokens=1,
        image_token=IMAGE,
        chat_template=TEMPLATE,
    )
    size = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    text = LlamaConfig(vocab_size=len(words), max_position_embeddings=256, eos_token_id=1, pad_token_id=1, **size)
    vision = CLIPVisionConfig(image_size=SIDE_IN_PIXELS, patch_size=16, **size)
    config = LlavaConfig(
        text_config=text, vision_config=vision, image_token_index=2, vision_feature_select_strategy="full"
    )
    network = LlavaForConditionalGeneration(config)
    with torch.no_grad():  # far from uniform, so that greedy decoding has no ties
        for parameter in network.parameters():
            if parameter.dim() > 1:
                parameter.mul_(8.0)
    network.save_pretrained(folder)
    processor.save_pretrained(folder)
    return str(folder)


def tiny_drawing_and_seeing_model(folder: Path, texts: list[str]) -> str:
    """Return a Janus of a few thousand weights, which draws and sees, and knows the words of some texts."""
    from transformers import JanusConfig, JanusForConditionalGeneration, JanusImageProcessorPil, JanusProcessor

    torch.manual_seed(0)
    splitter = pre_tokenizers.WhitespaceSplit()
    special = ["[unk]", "[eos]", IMAGE, "ASSISTANT:", "<boi>", "<eoi>", "[bos]"]
    words = dict.fromkeys(special)
    words |= dict.fromkeys(word for text in texts for word, _ in splitter.pre_tokenize_str(text))
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="[unk]"))
    tokenizer.pre_tokenizer = splitter
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[unk]",
        bos_token="[bos]",
        eos_token="[eos]",
        pad_token="[eos]",
        extra_special_tokens={"image_token": IMAGE, "boi_token": "<boi>", "eoi_token": "<eoi>"},
    )
    patches = (SIDE_IN_PIXELS // 16) ** 2
    pictures = JanusImageProcessorPil(size={"height": SIDE_IN_PIXELS, "width": SIDE_IN_PIXELS}, min_size=14)
    processor = JanusProcessor(pictures, fast, chat_template=TEMPLATE, num_image_tokens=patches)
    size = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = JanusConfig(
        text_config={
            **size,
            "model_type": "llama",
            "intermediate_size": 32,
            "vocab_size": len(words),
            "max_position_embeddings": 256,
            "eos_token_id": 1,
            "pad_token_id": 1,
        },
        vision_config={
            **size,
            "image_size": SIDE_IN_PIXELS,
            "patch_size": 16,
            "projection_dim": 16,
            "num_image_tokens": patches,
            "mlp_ratio": 2.0,
        },
        vq_config={
            "embed_dim": 4,
            "num_embeddings": 32,
            "latent_channels": 16,
            "base_channels": 32,
            "channel_multiplier": [1, 1, 1, 1, 1],
            "num_res_blocks": 1,
            "projection_dim": 16,
            "image_token_embed_dim": 16,
        },
        image_token_id=2,
    )
    network = JanusForConditionalGeneration(config)
    with torch.no_grad():
        for parameter in network.parameters():
            if parameter.dim() > 1:
                parameter.mul_(4.0)
    network.save_pretrained(folder)
    processor.save_pretrained(folder)
    generation = {"bos_token_id": 6, "eos_token_id": 1, "pad_token_id": 1, "generation_kwargs": {"boi_token_id": 4}}
    (folder / "generation_config.json").write_text(json.dumps(generation))
    return str(folder)
