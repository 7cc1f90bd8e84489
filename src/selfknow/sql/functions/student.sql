-- t_quantile(df): the 97.5% quantile of Student's t distribution, for 2 degrees of freedom or more, whole or not, to
-- within 0.002.
-- Source: Hill (1970), Algorithm 396: Student's t-quantiles, Communications of the ACM 13(10), for a two-tailed
-- probability of 0.05; 1.959964 is the 97.5% quantile of the normal distribution, and 3.841459 its square.
create or replace macro hill_c(a, b) as (((20700 * a / b - 98) * a - 16) * a + 96.36);

create or replace macro hill_d(a, b, c, df) as (((94.5 / (b + c) - 3) / b + 1) * sqrt(a * pi() / 2) * df);

create or replace macro hill_near_normal(a, b, c, d, df) as (
    list_transform(
        [
            -1.959964 * (
                1 + (
                    (((0.4 * 3.841459 + 6.3) * 3.841459 + 36) * 3.841459 + 94.5)
                    / (
                        (((-0.05 * d * 1.959964 - 5) * -1.959964 - 7) * -1.959964 - 2) * -1.959964 + b + c
                        + if(df < 5, 0.3 * (df - 4.5) * (0.6 - 1.959964), 0)
                    )
                    - 3.841459 - 3
                ) / b
            )
        ],
        lambda y: if(a * y * y > 0.002, exp(a * y * y) - 1, 0.5 * power(a * y * y, 2) + a * y * y)
    )[1]
);

create or replace macro hill_far_out(d, y, df) as (
    ((1 / (((df + 6) / (df * y) - 0.089 * d - 0.822) * (df + 2) * 3) + 0.5 / (df + 4)) * y - 1) * (df + 1) / (df + 2)
    + 1 / y
);

create or replace macro t_of_terms(a, b, c, d, df) as (
    sqrt(
        df * if(
            power(0.05 * d, 2.0 / df) > 0.05 + a,
            hill_near_normal(a, b, c, d, df),
            hill_far_out(d, power(0.05 * d, 2.0 / df), df)
        )
    )
);

create or replace macro t_quantile(df) as (
    list_transform(
        list_transform(
            list_transform(
                [{ 'a': 1 / (df - 0.5), 'b': 48 * power(df - 0.5, 2), 'df': df::double }],
                lambda terms: { 'a': terms.a, 'b': terms.b, 'c': hill_c(terms.a, terms.b), 'df': terms.df }
            ),
            lambda terms: {
                'a': terms.a, 'b': terms.b, 'c': terms.c,
                'd': hill_d(terms.a, terms.b, terms.c, terms.df), 'df': terms.df
            }
        ),
        lambda terms: t_of_terms(terms.a, terms.b, terms.c, terms.d, terms.df)
    )[1]
);
