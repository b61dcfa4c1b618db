// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The tape: records the statements of this thread from its first variable on, and gives gradients.
#pragma once

#include <algorithm>
#include <span>
#include <string>

#include <dyad/tape/drop_in.hpp>
#include <dyad/tape/errors.hpp>
#include <dyad/tape/function_call.hpp>
#include <dyad/tape/matrix.hpp>

namespace dyad {

/// Options of a tape, joined by `|`.
enum class tape_option : unsigned {
    none = 0,
    persistent = 1, ///< gives any number of gradients
    trap = 2        ///< a statement whose value or slope is NaN or infinite throws and is named
};
constexpr tape_option operator|(tape_option a, tape_option b) {
    return static_cast<tape_option>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
inline constexpr tape_option persistent = tape_option::persistent;
inline constexpr tape_option trap_nonfinite = tape_option::trap;

/// Cotangents of the targets of a gradient, in their structure; one number serves all.
template <class S>
struct seed {
    S cotangents;
    explicit seed(const S& s) : cotangents(s) {}
};

/// The statement that gave a leaf; 0 if that is passive.
template <class A, class T, class Leaf>
std::uint32_t statement_of(const recording<T>& r, const Leaf& leaf) {
    static_assert(!deferred_value<Leaf>, "[dyad] tape: a source is an expression, which was never recorded; declare it as dyad::real: `real u = x * x;`");
    static_assert(std::is_base_of_v<A, Leaf> || !active_number<Leaf>, "[dyad] tape: a source is a number of another level or type than the target, as active<double> beside active<active<double>>: its derivative would be lost; differentiate by numbers of the target's type");
    if constexpr (std::is_base_of_v<A, Leaf>) {
        return r.is_active(leaf.key()) ? leaf.key().statement() : 0;
    } else {
        return 0;
    }
}

/// Records what is computed from its variables on this thread, and differentiates it.
/// Example: `dyad::tape tape; dyad::real x = tape.variable(3.0); dyad::real y = x * x; double d = tape.gradient(y, x); // 6`
///
/// A tape gives one gradient and then frees its memory; `dyad::tape tape{dyad::persistent}` gives any number. Numbers of
/// several types (active<double>, active<float>, active<active<double>>) have recordings of their own on one tape, and a
/// statement is recorded by the youngest tape that has variables of its type: so tapes nest.
class tape {
public:
    explicit tape(tape_option options = tape_option::none) : options_(options) {}
    tape(const tape&) = delete;
    tape& operator=(const tape&) = delete;
    ~tape() { stop_others(); }

    /// A number to differentiate by. A variable of value `active<T>` is an active<active<T>>: tapes nest.
    template <class T>
        requires(real_number<T> || (active_number<T> && !immediate_number<T>))
    active<T> variable(const T& value) {
        return {value, started<T>().push_variable()};
    }
    template <std::integral T>
    active<double> variable(T) {
        static_assert(never<T>, "[dyad] tape.variable: a derivative with respect to an integer does not exist; pass a double: variable(3.0)");
        return {};
    }
    template <immediate_number X>
    auto variable(const X& value) {
        return variable(without_immediate(value));
    }
    template <deferred_value E>
    auto variable(const E& e) {
        return variable(typename E::result_type(e));
    }
    /// The same for each number of an array, vector, tuple ...
    template <class S>
        requires(!is_leaf_tree<S>)
    auto variable(const S& s) {
        constexpr bool numbers = is_number_tree<at_rest_t<S>>;
        static_assert(numbers, "[dyad] tape.variable: this is not made of numbers; pass a double, or an array, vector, tuple ... of doubles");
        if constexpr (!is_at_rest<S>) {
            return variable(rested(s));
        } else if constexpr (numbers) {
            return map_tree(s, [this](const auto& leaf) { return this->variable(leaf); });
        } else {
            return active<double>();
        }
    }

    /// Σ over the leaves of the targets of ∂target/∂source, in the structure of the sources; a source that no target
    /// depends on has gradient 0. Example: `auto [dx, dy] = tape.gradient(z, std::tuple{x, y});`
    template <class Y, class X>
    auto gradient(const Y& targets, const X& sources) {
        return gradient(targets, sources, seed(1));
    }
    /// Σ seed ∂target/∂source.
    template <class Y, class X, class S>
    auto gradient(const Y& targets, const X& sources, const seed<S>& cotangents) {
        return with_adjoints("gradient", targets, sources, cotangents, [&](const auto& adjoint) {
            auto result = map_tree(sources, adjoint);
            spend();
            return result;
        });
    }
    /// Refuses several sources in a row, and a cotangent that is no seed.
    template <class Y, class X, class... More>
        requires(sizeof...(More) > 0)
    auto gradient(const Y& targets, const X& sources, const More&... more) {
        static_assert(never<Y>, "[dyad] tape.gradient: the third argument is no dyad::seed; write cotangents as dyad::seed(2.0), several sources as a tuple, std::tuple{x, z}");
        if constexpr ((is_recorded_tree<More> && ...)) { // (what was meant: one mistake, one message)
            return gradient(targets, std::tie(sources, more...));
        } else {
            return gradient(targets, sources);
        }
    }
    /// The same into memory of the caller, a number for each leaf of the sources in order: for loops that must not allocate.
    /// Throws tape_error unless there are as many places as leaves; then and after other errors the memory is as it was.
    /// Example: `std::vector<double> g(x.size()); tape.gradient_into(g, y, x);`
    template <class Y, class X>
    void gradient_into(std::span<tree_value_t<at_rest_t<Y>, X>> places, const Y& targets, const X& sources) {
        gradient_into(places, targets, sources, seed(1));
    }
    template <class Y, class X, class S>
    void gradient_into(std::span<tree_value_t<at_rest_t<Y>, X>> places, const Y& targets, const X& sources, const seed<S>& cotangents) {
        std::size_t leaves = 0;
        visit_tree(sources, [&](const auto&) { ++leaves; });
        if (leaves != places.size())
            throw tape_error("[dyad] tape.gradient_into: " + std::to_string(places.size()) + " places for the gradients of " + std::to_string(leaves) + " sources");
        with_adjoints("gradient_into", targets, sources, cotangents, [&](const auto& adjoint) {
            visit_tree(sources, [&, next = places.data()](const auto& leaf) mutable { *next++ = adjoint(leaf); });
            spend();
        });
    }
    /// J[i][j] = ∂targetᵢ/∂sourceⱼ, the leaves of targets and sources in order: nested arrays, or nested vectors where a size
    /// is known at run time only; a single plain number has no index. One sweep carries several rows.
    template <class Y, class X>
    auto jacobian(const Y& targets, const X& sources) {
        using A = number_by<at_rest_t<Y>, X>;
        using T = typename A::value_type;
        constexpr int lanes = is_leaf_tree<Y> ? 1 : 4;
        const recording<T>& r = usable<T>("jacobian");
        const auto at = recorded<A>(targets);
        std::vector<std::uint32_t> rows, columns;
        visit_tree(at, [&](const A& leaf) { rows.push_back(statement_of<A>(r, leaf)); });
        visit_tree(sources, [&](const auto& leaf) { columns.push_back(statement_of<A>(r, leaf)); });
        std::vector<T> elements(rows.size() * columns.size(), T(0));
        for (std::size_t first = 0; first < rows.size(); first += lanes) {
            const std::size_t count = std::min<std::size_t>(lanes, rows.size() - first);
            const adjoint_rows<T, lanes> adjoints(*std::max_element(rows.begin() + static_cast<std::ptrdiff_t>(first),
                                                                    rows.begin() + static_cast<std::ptrdiff_t>(first + count)));
            for (std::size_t l = 0; l < count; ++l) {
                if (rows[first + l] != 0) adjoints.add(rows[first + l], static_cast<int>(l), T(1));
            }
            r.sweep(adjoints);
            for (std::size_t k = 0; k < count * columns.size(); ++k) {
                const std::size_t l = k / columns.size(), j = k % columns.size();
                elements[(first + l) * columns.size() + j] = adjoints.value_or_zero(columns[j], static_cast<int>(l));
            }
        }
        spend();
        return tree_matrix<at_rest_t<Y>, X>(rows.size(), columns.size(), [&](std::size_t i, std::size_t j) { return elements[i * columns.size() + j]; });
    }

    /// Whether a target depends on a source, be the slope 0 or not.
    template <class Y, class X>
    [[nodiscard]] bool connected(const Y& targets, const X& sources) {
        using A = number_by<at_rest_t<Y>, X>;
        const auto& r = usable<typename A::value_type>("connected");
        const auto at = recorded<A>(targets);
        const std::uint32_t last = last_statement<A>(r, at);
        std::vector<char> reached(std::size_t{last} + 1);
        visit_tree(at, [&](const A& leaf) { reached[statement_of<A>(r, leaf)] = 1; });
        r.mark_reached(reached.data(), last);
        reached[0] = 0; // passive numbers
        bool answer = false;
        visit_tree(sources, [&](const auto& leaf) {
            const std::uint32_t statement = statement_of<A>(r, leaf);
            answer = answer || (statement <= last && reached[statement] != 0);
        });
        return answer;
    }

    /// f(arguments...), whose results become one statement each: the partial derivatives by the arguments, computed now. For a
    /// region with few arguments and results and much between. What f captures must not be recorded numbers.
    /// Example: `real y = tape.preaccumulate([](auto a, auto b) { ...; return c; }, x, z);`
    template <class F, class... S>
    auto preaccumulate(F&& f, const S&... s);

    /// state = body(i, state) for i = 0 ... n - 1, of which `slots` states are kept; on the way back the others are computed
    /// again from those (binomial checkpointing), one step is recorded at a time. The state is any tree of numbers, and all
    /// that the body depends on. Example: `auto [x, v] = tape.checkpointed_loop(1000000, step, std::tuple{x0, v0}, 30);`
    /// The index has the type of n. Throws value_error if n is negative or `slots` not positive.
    template <std::integral N, class Body, class S, std::integral M>
    auto checkpointed_loop(N n, Body body, const S& state, M slots);

    /// f(arguments...) as one statement, where f is a function for grad: compiled, of numbers or whole arrays, with a compiled
    /// pullback. Example: `real loss = tape.apply(mean_square, w, X, t)` with recorded w and plain X and t.
    template <class F, class... S>
    auto apply(F f, const S&... s);

    /// The recording as text, one line a statement.
    template <class = void> // (both for who calls them alone to compile)
    [[nodiscard]] std::string print();
    /// The recording of doubles as a drawing, for Graphviz.
    template <class = void>
    [[nodiscard]] std::string to_dot();

    /// Statements from here on are not recorded: their results are constants. Pauses are not counted: one resume ends them all.
    void pause() { set_paused(true); }
    void resume() { set_paused(false); }
    [[nodiscard]] bool paused() const { return paused_; }
    /// Forgets everything, a pause too; the memory serves the next recording. Numbers recorded so far are not of this tape any more.
    void reset() {
        set_paused(false);
        double_.stop();
        stop_others();
        spent_ = false;
    }
    /// How many statements it holds, variables included.
    [[nodiscard]] std::size_t size() const {
        std::size_t sum = double_.size();
        for (const other* o = others_; o != nullptr; o = o->next) sum += o->size();
        return sum;
    }
    /// How many bytes they take.
    [[nodiscard]] std::size_t bytes() const {
        std::size_t sum = double_.bytes();
        for (const other* o = others_; o != nullptr; o = o->next) sum += o->bytes();
        return sum;
    }
    /// The recording of numbers T, begun if need be.
    template <class T>
    recording<T>& started() {
        recording<T>& r = recording_of<T>();
        if (!r.started()) [[unlikely]] {
            r.start();
            r.trap((static_cast<unsigned>(options_) & static_cast<unsigned>(tape_option::trap)) != 0);
            if (paused_) r.pause(true);
            spent_ = false;
        }
        return r;
    }

private:
    template <class A, class F, class... S>
    auto preaccumulated(const F& f, const S&... s);
    template <class N, class Body, class State>
    State checkpointed(std::size_t n, Body body, const State& first, std::size_t slots);

    /// A recording of numbers other than double.
    struct other {
        other* next = nullptr;
        const void* type = nullptr;
        virtual ~other() = default;
        [[nodiscard]] virtual std::size_t size() const = 0;
        [[nodiscard]] virtual std::size_t bytes() const = 0;
        [[nodiscard]] virtual std::string print() const = 0;
        virtual void pause(bool paused) = 0;
    };
    template <class T>
    struct other_of : other {
        recording<T> content;
        [[nodiscard]] std::size_t size() const override { return content.size(); }
        [[nodiscard]] std::size_t bytes() const override { return content.bytes(); }
        [[nodiscard]] std::string print() const override;
        void pause(bool paused) override { content.pause(paused); }
    };
    template <class T>
    static constexpr char type_tag = 0;

    template <class T>
    recording<T>& recording_of() {
        if constexpr (std::is_same_v<T, double>) {
            return double_;
        } else {
            for (other* o = others_; o != nullptr; o = o->next) {
                if (o->type == &type_tag<T>) return static_cast<other_of<T>*>(o)->content;
            }
            auto* const made = new other_of<T>;
            made->type = &type_tag<T>;
            made->next = others_;
            others_ = made;
            return made->content;
        }
    }
    void stop_others() {
        while (others_ != nullptr) {
            other* const next = others_->next;
            delete others_;
            others_ = next;
        }
    }
    void set_paused(bool paused) {
        paused_ = paused;
        double_.pause(paused);
        for (other* o = others_; o != nullptr; o = o->next) o->pause(paused);
    }
    void spend() {
        if ((static_cast<unsigned>(options_) & static_cast<unsigned>(tape_option::persistent)) != 0) return;
        double_.stop();
        stop_others();
        spent_ = true;
    }

    template <class... S>
    struct number_of_trees {
        using found = tree_number_t<S...>;
        using type = std::conditional_t<std::is_void_v<found>, active<double>, found>; // (one mistake, one message)
        static_assert(!std::is_void_v<found>, "[dyad] tape: targets and sources must be recorded numbers, such as dyad::real; make "
                                             "variables with tape.variable(x)");
    };
    template <class... S>
    using number_among = typename number_of_trees<S...>::type;
    /// The same where Y is differentiated by X, whose every part must be recorded.
    template <class Y, class X>
    struct number_of_sources : number_of_trees<Y, X> {
        static_assert(is_recorded_tree<X> || std::is_void_v<tree_number_t<Y, X>>, "[dyad] tape: a source is a plain number, by which there is no derivative; make a variable of it first, with tape.variable(x)");
    };
    template <class Y, class X>
    using number_by = typename number_of_sources<Y, X>::type;

    /// use(f), where f(source) is the gradient by it.
    template <class Y, class X, class S, class Use>
    DYAD_INLINE auto with_adjoints(const char* what, const Y& targets, const X& sources, const seed<S>& cotangents, const Use& use) {
        using A = typename number_of_sources<at_rest_t<Y>, X>::type; // (not number_by: a step less in the message)
        using T = typename A::value_type;
        const recording<T>& r = usable<T>(what);
        const auto at = recorded<A>(targets);
        visit_tree(sources, [&](const auto& leaf) { statement_of<A>(r, leaf); }); // refuses before anything is done
        const std::uint32_t last = last_statement<A>(r, at);
        const adjoint_rows<T> rows(last);
        set_seeds<A>(what, r, rows, at, cotangents);
        r.sweep(rows);
        return use([&](const auto& leaf) { return rows.value_or_zero(statement_of<A>(r, leaf)); });
    }
    template <class T>
    const recording<T>& usable(const char* what) {
        if (spent_)
            throw tape_error(std::string("[dyad] tape.") + what + ": this tape has given its gradient and freed its memory; a tape gives "
                                                                  "one gradient unless it is made with dyad::persistent");
        return recording_of<T>();
    }
    /// A tree of numbers; operations among its leaves, and expressions of whole arrays, are recorded now.
    template <class A, class S>
    static auto recorded(const S& s) {
        const auto record = [](const auto& leaf) { return A(leaf); };
        return map_tree(rested(s), record);
    }
    template <class A, class T, class S>
    static std::uint32_t last_statement(const recording<T>& r, const S& s) {
        std::uint32_t last = 0;
        visit_tree(s, [&](const A& leaf) { last = std::max(last, statement_of<A>(r, leaf)); });
        return last;
    }
    template <class A, class T, class S, class C>
    static void set_seeds(const char* what, const recording<T>& r, adjoint_view<T, 1> rows, const S& targets, const seed<C>& cotangents) {
        const auto set = [&](const A& target, const T& cotangent) {
            const std::uint32_t statement = statement_of<A>(r, target);
            if (statement != 0) rows.add(statement, 0, cotangent);
        };
        if constexpr (is_leaf_tree<C>) {
            visit_tree(targets, [&](const A& target) { set(target, T(cotangents.cotangents)); });
        } else {
            std::vector<T> weights;
            visit_tree(cotangents.cotangents, [&](const auto& leaf) { weights.push_back(T(leaf)); });
            std::size_t count = 0, next = 0;
            visit_tree(targets, [&](const A&) { ++count; });
            if (weights.size() != count)
                throw tape_error(std::string("[dyad] tape.") + what + ": " + std::to_string(weights.size()) + " seeds for " + std::to_string(count) +
                                 " targets; give one number, or the structure of the targets");
            visit_tree(targets, [&](const A& target) { set(target, weights[next++]); });
        }
    }

    tape_option options_;
    bool paused_ = false;
    bool spent_ = false;
    recording<double> double_;
    other* others_ = nullptr;
};

} // namespace dyad
