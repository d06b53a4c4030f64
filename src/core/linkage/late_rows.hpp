// A square matrix of values into whose columns a merge writes nothing: it writes the row of the union, and other rows
// catch up when they are read. A row is read some three times in its life, and most unions are gone by then; writing
// them all would take a cache line for each value.
//
// What always holds: the value between two slots is in the row of the one that changed last, and in that of the other
// from its next reading on. For a union that is younger than the last reading of x, the row of the union was written
// when x was as it is now.
#pragma once

#include <vector>

#include "square.hpp"

namespace chamfer {

template <class T>
class LateRows {
   public:
    // The lower half of `square` becomes like the upper one.
    explicit LateRows(Square<T>& square) : square_(square), born_(square.n(), -1), read_(square.n(), 0) {
        unions_.reserve(square.n());
        square.mirror();
    }

    Index width() const { return square_.n(); }

    // Values between c and all slots that are not gone; anything for those gone.
    T* row(Id c) {
        T* row = square_.row(c);
        const Union *begin = unions_.data(), *next = begin + unions_.size();
        const auto read = [&](Index count, Id since) {
            for (; next - begin >= count && next[-count].born >= since; next -= count)
                for (Index i = -count; i < 0; ++i) row[next[i].slot] = next[i].row[c];
        };
        read(kTogether, read_[c]);  // takes half of the time that it takes one by one
        read(1, read_[c]);
        read_[c] = now_;
        return row;
    }

    // The row of `kept` has become that of the union; `lost` is gone.
    void unite(Id lost, Id kept) {
        gone_ += (born_[lost] >= 0) + (born_[kept] >= 0);
        born_[lost] = -1;
        born_[kept] = now_++;
        if (gone_ >= kMostGone) forget();
        unions_.push_back({square_.row(kept), kept, born_[kept]});
        read_[kept] = now_;
        square_.row(kept)[kept] = kFar<T>;
    }

   private:
    struct Union {
        const T* row;
        Id slot, born;
    };

    static constexpr Index kTogether = 8;
    static constexpr Index kMostGone = 8;  // unions; a reading takes as much of them, which nobody looks at

    void forget() {
        Index left = 0;
        for (const Union each : unions_) {  // without branches, which nobody could foresee
            unions_[left] = each;
            left += born_[each.slot] == each.born;
        }
        unions_.resize(left);
        gone_ = 0;
    }

    Square<T>& square_;
    std::vector<Union> unions_;    // by age; some of them may be gone
    std::vector<Id> born_, read_;  // merges before a slot became a union, and before its row was read
    Id now_ = 0;
    Index gone_ = 0;  // of unions_
};

}  // namespace chamfer
