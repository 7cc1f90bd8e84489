-- Functions that several queries call. The view `corpus` holds the rows of the config, with their `split`.

-- normalized(text): the text's words in lower case, with one space between them.
create temp macro normalized(text) as trim(regexp_replace(lower(text), '[^\pL\pN_]+', ' ', 'g'));

-- five_grams(text): the different runs of five characters of the lower-case text; a shorter text is a run by itself.
create temp macro five_grams(text) as list_distinct(
    list_transform(range(1, greatest(length(text) - 4, 1) + 1), lambda start: lower(text)[start:start + 4])
);

-- words_in_order(text): the text's words in lower case; words(text): its different words.
create temp macro words_in_order(text) as regexp_extract_all(lower(text), '[\pL\pN_]+');

create temp macro words(text) as list_distinct(words_in_order(text))
