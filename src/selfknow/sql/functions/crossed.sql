-- crossed_interval(mean, n_seeds, n_questions, between_seeds, between_questions, rest): the 95% interval of a mean over
-- several trainings that answered the same questions, with both as random samples: a struct of low and high. The last
-- three arguments are the sums of squares of an analysis of variance with one value for each seed and question. Null
-- for fewer than three seeds or two questions, and if all values are the same.
--
-- Seeds and questions are crossed, and both are random. The variance of the mean adds those of seeds, questions and the
-- rest, each over its number: (MS_seeds + MS_questions - MS_rest) / (seeds * questions), with no component below zero.
-- The degrees of freedom are Satterthwaite's, and no fewer than those of seeds or questions. A bootstrap that draws
-- seeds and then questions treats them as nested, and its interval is too narrow.
-- Source: Clark (1973), The language-as-fixed-effect fallacy (quasi F ratios for crossed random effects); Satterthwaite
-- (1946), An approximate distribution of estimates of variance components.
create or replace macro crossed_mean_squares(n_seeds, n_questions, between_seeds, between_questions, rest) as (
    {
        'rest': rest / ((n_seeds - 1) * (n_questions - 1)),
        'seeds': greatest(between_seeds / (n_seeds - 1), rest / ((n_seeds - 1) * (n_questions - 1))),
        'questions': greatest(between_questions / (n_questions - 1), rest / ((n_seeds - 1) * (n_questions - 1)))
    }
);

create or replace macro crossed_degrees_of_freedom(n_seeds, n_questions, squares) as (
    greatest(
        power(squares.seeds + squares.questions - squares.rest, 2)
        / (
            power(squares.seeds, 2) / (n_seeds - 1)
            + power(squares.questions, 2) / (n_questions - 1)
            + power(squares.rest, 2) / ((n_seeds - 1) * (n_questions - 1))
        ),
        least(n_seeds, n_questions) - 1
    )
);

create or replace macro crossed_margin(n_seeds, n_questions, squares) as (
    t_quantile(crossed_degrees_of_freedom(n_seeds, n_questions, squares))
    * sqrt((squares.seeds + squares.questions - squares.rest) / (n_seeds * n_questions))
);

create or replace macro crossed_interval(
    mean, n_seeds, n_questions, between_seeds, between_questions, rest
) as (
    case
        when n_seeds > 2 and n_questions > 1 and between_seeds + between_questions + rest > 1e-12
            then list_transform(
                list_transform(
                    [crossed_mean_squares(n_seeds, n_questions, between_seeds, between_questions, rest)],
                    lambda squares: crossed_margin(n_seeds, n_questions, squares)
                ),
                lambda margin: { 'low': mean - margin, 'high': mean + margin }
            )[1]
    end
);
